// What can be set of a game that is drawn, or of a piece of it: a field for each, by its kind.
// @ts-check
import { all, beside, el } from "./base.js";

const MOST_BUTTONS = 5, LONGEST = 12;

/** Sets a new value. @typedef {(value: Setting["value"]) => unknown} Put */

/** The ends of a range. @param {Setting} setting @returns {[least: number, most: number]} */
export const rangeOf = ({ value }) => (Array.isArray(value) ? value : [Number(value), Number(value)]);

/**
 * A field for a setting; `set(value)` is called when it is changed.
 * @param {Setting} setting @param {Put} set
 */
export function field(setting, set) {
  const { key, kind, title, value, choices, help } = setting, about = { "data-key": key, title: help || undefined };
  if (kind === "flag") {
    const box = el("input", { type: "checkbox", checked: value, ...about });
    box.onchange = () => set(box.checked);
    return el("label", { class: "setting flag" }, box, title);
  }
  if (kind === "colour") return colours(setting, set);
  if (kind === "choice") {
    const few = choices.length <= MOST_BUTTONS && choices.every(([, words]) => words.length <= LONGEST);
    if (few) return buttons(setting, set);
    const list = el("select", about,
      ...choices.map(([name, words]) => el("option", { value: name, selected: name === value }, words)));
    list.onchange = () => set(list.value);
    return el("label", { class: "setting" }, el("span", {}, title), list);
  }
  if (kind === "range") return el("span", { class: "setting" }, el("span", {}, title), ...range(setting, set));
  const isNumber = kind === "number", limits = isNumber ? { min: setting.minimum, max: setting.maximum } : {};
  const own = el("input", { type: isNumber ? "number" : "text", value, spellcheck: "false", ...limits, ...about });
  own.onchange = () => set(isNumber ? Number(own.value) : own.value);
  return el("label", { class: "setting words" }, el("span", {}, title), own);
}

/** @param {Setting} setting @param {Put} set */
function range(setting, set) {
  const { key, title, minimum, maximum } = setting, [least, most] = rangeOf(setting);
  const made = ["fewest", "most"].map((end, at) =>
    el("input", {
      type: "number", min: minimum, max: maximum, value: at ? most : least,
      "data-key": `${key} ${end}`, "aria-label": `${title}: ${end}`,
    }));
  for (const [at, input] of made.entries()) {
    input.onchange = () => {
      const ends = made.map((each) => Number(each.value));
      ends[1 - at] = at ? Math.min(...ends) : Math.max(...ends);
      if (at && ends[0] > ends[1]) ends[0] = ends[1];
      set([ends[0], ends[1]]);
    };
  }
  return [made[0], el("span", {}, "to"), made[1]];
}

/** @param {Setting} setting @param {Put} set */
function colours({ key, title, value, choices }, set) {
  const made = choices.map(([name, face]) => {
    const about = { role: "radio", "aria-checked": String(name === value), "aria-label": name, title: name };
    const shown = { class: "colour", "data-key": `${key} ${name}`, onclick: () => set(name) };
    const button = el("button", { ...about, ...shown });
    button.style.background = face;
    return button;
  });
  return radios(el("span", { class: "setting colours", role: "radiogroup", "aria-label": title }, ...made), made);
}

/** @param {Setting} setting @param {Put} set */
function buttons({ key, title, value, choices, help }, set) {
  const made = choices.map(([name, words]) =>
    el("button", {
      role: "radio", "aria-checked": String(name === value), title: help || undefined,
      "data-key": `${key} ${name}`, onclick: () => { if (name !== value) set(name); },
    }, words));
  return radios(el("span", { class: "setting choices", role: "radiogroup", "aria-label": title }, ...made), made);
}

/** Let arrow keys go from button to button, as in any group of radio buttons.
 * @template {HTMLElement} G @param {G} group @param {HTMLElement[]} made */
export function radios(group, made) {
  const chosen = made.findIndex((each) => each.getAttribute("aria-checked") === "true");
  made.forEach((each, at) => { each.tabIndex = at === Math.max(0, chosen) ? 0 : -1; });
  group.onkeydown = (event) => {
    const next = beside(made, event);
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.click();
  };
  return group;
}

/** Show fields in a part of the page; what has the focus keeps it. @param {HTMLElement} place @param {Child[]} parts */
export function put(place, parts) {
  const held = place.contains(document.activeElement) ? document.activeElement : null;
  const key = held instanceof HTMLElement ? held.dataset.key : undefined;
  const typed = held instanceof HTMLInputElement && held.value !== held.defaultValue ? held.value : null;
  place.replaceChildren(...parts);
  const again = key && all(place, "[data-key]").find((each) => each.dataset.key === key);
  if (!again) return;
  if (typed !== null && again instanceof HTMLInputElement) again.value = typed;
  again.focus();
}
