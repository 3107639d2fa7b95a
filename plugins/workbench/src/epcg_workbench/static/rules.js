// The rules of inference that a player is said to know: boxes to tick, where a domain has such rules.
// @ts-check
import { el } from "./base.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/** The rules that are ticked; undefined if they are the usual ones. */
export function rules() {
  const boxes = [...document.querySelectorAll("#rules input")].map((each) => /** @type {HTMLInputElement} */ (each));
  if (boxes.every((box) => box.checked === box.defaultChecked)) return undefined;
  return boxes.filter((box) => box.checked).map((box) => box.value);
}

/** Offer rules. @param {any[]} all @param {() => void} changed */
export function ruleBoxes(all, changed) {
  const box = (rule) => el("input", { type: "checkbox", value: rule.name, checked: rule.known, onchange: changed });
  $("rules-part").hidden = !all.length;
  $("rules").replaceChildren(...all.map((rule) => el("li", {}, el("label", {}, box(rule), ` ${rule.summary}`))));
}
