// What may stand on open places: the marks that are taken, how often each may occur, and those that are not.
// @ts-check
import { $, el } from "./base.js";
import { countsOf } from "./counts.js";
import { brushes, isInvisible, markOf, markPicture } from "./palette.js";

/** @typedef {{mark: Mark, box: HTMLInputElement, label: HTMLElement, now: HTMLElement, row: HTMLElement,
 *   place: HTMLElement, least: HTMLInputElement, most: HTMLInputElement}} Choice a mark with its row and fields */

/** The table of choices; `changed` is told of each change by hand. */
export class ChoiceTable {
  /** @param {State} state @param {() => void} changed */
  constructor(state, changed) {
    this.state = state;
    this.changed = changed;
    /** @type {Map<string, Choice>} */ this.rows = new Map();
    /** @type {Set<string>} Marks that were taken out by hand. */ this.out = new Set();
  }

  /** The names of the marks that are taken, in the order of the palette; '' is nothing. */
  get taken() {
    return [...this.rows].filter(([, { box }]) => box.checked).map(([name]) => name);
  }

  /** Begin with another content: nothing may stand there yet. */
  reset() {
    const { palette } = this.state.bench,
      ground = palette.find((mark) => !mark.name);
    this.rows.clear();
    this.out.clear();
    for (const mark of [ground ?? { name: "", title: "nothing", kinds: [] }, ...brushes(palette)]) {
      this.rows.set(mark.name, this.#row(mark, ground));
    }
    const unseen = [...this.rows.values()]
      .filter(({ mark }) => mark.name && isInvisible(mark))
      .map(({ label }) => label);
    const folded = el(
      "details",
      { hidden: !unseen.length },
      el("summary", {}, `${unseen.length} invisible`),
      ...unseen,
    );
    $("sketch-not").replaceChildren(
      ...[...this.rows.values()].map(({ label }) => label).filter((label) => !unseen.includes(label)),
      folded,
    );
    this.#place();
  }

  /** @param {Mark} mark @param {Mark} [ground] @returns {Choice} */
  #row(mark, ground) {
    const title = mark.title || mark.name;
    const box = el("input", { type: "checkbox", value: mark.name, checked: mark.name === "" });
    const now = el("small", { class: "muted" });
    const picture = mark.kinds.length ? markPicture(mark, ground) : el("span", { class: "none" });
    const label = el("label", { class: "tick" }, box, picture, el("span", {}, title), now);
    const field = (/** @type {string} */ word) => {
      const about = {
        type: "number",
        min: "0",
        placeholder: word === "at least" ? "0" : "any",
        "aria-label": `${word} ${title}`,
      };
      return el("input", { ...about, onchange: () => this.changed() });
    };
    const least = field("at least"),
      most = field("at most");
    const place = el("td"), row = el("tr", { "data-count": mark.name }, place, el("td", {}, least), el("td", {}, most));
    box.onchange = () => {
      if (box.checked) this.out.delete(mark.name);
      else this.out.add(mark.name);
      this.#place();
      this.changed();
    };
    return { mark, box, label, now, row, place, least, most };
  }

  /** Put each label where it belongs; it stays the same element, so the focus stays. */
  #place() {
    const focused = document.activeElement;
    for (const { mark, box, label, place } of this.rows.values()) {
      if (box.checked === (label.parentElement === place)) continue;
      if (box.checked) place.append(label);
      else if (mark.name && isInvisible(mark)) $("sketch-not").querySelector("details")?.append(label);
      else $("sketch-not").prepend(label);
    }
    const rows = [...this.rows.values()].filter(({ box }) => box.checked).map(({ row }) => row);
    const shown = [...$("sketch-counts").children];
    if (rows.length !== shown.length || rows.some((row, at) => row !== shown[at]))
      $("sketch-counts").replaceChildren(...rows);
    if (focused instanceof HTMLElement && focused !== document.activeElement) focused.focus();
  }

  /** Take what lies on places that are opened, unless it was taken out by hand. @param {string[][]} lies */
  meet(lies) {
    for (const names of lies) {
      const name = markOf(names, this.state.bench.palette), row = name === null ? undefined : this.rows.get(name);
      if (!row || this.out.has(row.mark.name)) continue;
      row.box.checked = true;
      if (row.mark.once && !row.least.value) row.least.value = "1";
    }
    this.#place();
  }

  /** Say which marks lie on the open places now. @param {string[][]} lies */
  show(lies) {
    const here = new Set(lies.map((names) => markOf(names, this.state.bench.palette)));
    for (const [name, { now }] of this.rows) now.textContent = here.has(name) ? "lies there now" : "";
  }

  /** How often marks may occur, as the generator has it. @param {number} places */
  counts(places) {
    const taken = [...this.rows].filter(([, { box }]) => box.checked);
    return countsOf(taken.map(([name, { least, most }]) => ({ name, least: least.value, most: most.value })), places);
  }
}
