// The rules of inference that a player is said to know: boxes to tick, where a domain has such rules.
// @ts-check
import { $, el } from "./base.js";

/** The rules that are ticked; undefined if they are the usual ones. */
export function rules() {
  const boxes = [...$("rules").querySelectorAll("input")];
  if (boxes.every((box) => box.checked === box.defaultChecked)) return undefined;
  return boxes.filter((box) => box.checked).map((box) => box.value);
}

/** Offer rules. @param {Rule[]} all @param {() => void} changed */
export function ruleBoxes(all, changed) {
  /** @param {Rule} rule */
  const box = ({ name, known }) => el("input", { type: "checkbox", value: name, checked: known, onchange: changed });
  $("rules-part").hidden = !all.length;
  $("rules").replaceChildren(...all.map((rule) => el("li", {}, el("label", {}, box(rule), ` ${rule.summary}`))));
}
