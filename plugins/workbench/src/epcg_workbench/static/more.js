// Lists of which the first part is shown, and the rest behind "more ...": what belongs to the project, what people ask
// for first. A browser that cannot hide an option shows all of them.
// @ts-check
import { el } from "./base.js";

const MORE = "…more";
/** The lists that were opened, by their ids: they stay open when they are made again. @type {Set<string>} */
const opened = new Set();

/**
 * Fill a list; one without a rest has no "more".
 * @param {HTMLSelectElement} list it needs an id @param {HTMLElement[]} first @param {HTMLElement[]} rest options, or
 * groups of them @param {string} words what stands behind "more", as in "more measures …"
 */
export function folded(list, first, rest, words) {
  const isChosen = (/** @type {HTMLElement} */ each) => each.matches("[selected]") || each.querySelector("[selected]");
  const hidden = opened.has(list.id) ? [] : rest.filter((each) => !isChosen(each));
  for (const each of hidden) each.hidden = true;
  const more = hidden.length && first.length ? [el("option", { value: MORE }, words)] : [];
  if (!more.length) for (const each of hidden) each.hidden = false;
  list.replaceChildren(...first, ...rest.filter((each) => !hidden.includes(each)), ...more, ...hidden);
  if (!list.dataset.folds) list.addEventListener("change", unfold, true);
  list.addEventListener("focus", keep);
  list.dataset.folds = "yes";
  list.dataset.before = list.value;
  return list;
}

/** Remember what is chosen before another is. @param {Event} event */
function keep({ currentTarget: list }) {
  if (list instanceof HTMLSelectElement && list.value !== MORE) list.dataset.before = list.value;
}

/** Show all of a list if "more" is chosen, which chooses nothing. @param {Event} event */
function unfold(event) {
  const { currentTarget: list } = event;
  if (!(list instanceof HTMLSelectElement)) return;
  if (list.value !== MORE) return keep(event);
  event.stopImmediatePropagation();
  opened.add(list.id);
  for (const each of list.children) if (each instanceof HTMLElement) each.hidden = false;
  list.selectedOptions[0]?.remove();
  list.value = list.dataset.before ?? "";
  list.focus();
  try { list.showPicker(); } catch { /* it opens with the next click */ }
  return undefined;
}
