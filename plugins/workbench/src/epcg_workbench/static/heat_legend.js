// What the looks of the map of changes mean.
// @ts-check
import { el } from "./base.js";
import { shown, titled } from "./words.js";

const STEPS = ["less4", "less3", "less2", "less1", "same", "more1", "more2", "more3", "more4"];

/**
 * What the looks of a map mean: the steps of its colours with their ends, then the kinds of empty tiles.
 * @param {Map<string, import("./board.js").Tile>} heat @param {import("./heat.js").Found} seen
 * @param {Pick<Measure, "title" | "words">} measure
 */
export function legend(heat, seen, { title, words: named }) {
  const looks = new Set([...heat.values()].map(({ look }) => look));
  const own = typeof seen.own === "boolean" ? Number(seen.own) : seen.own;
  const values = seen.changes.map(({ value }) => value).filter((value) => typeof value === "number");
  const swatch = (/** @type {string} */ look) => el("span", { class: `swatch ${look}` });
  const parts = [];
  if (values.length && [...looks].some((look) => /^(more|less|same)/.test(look ?? ""))) {
    const [least, most] = [Math.min, Math.max].map((end) => values.reduce((a, b) => end(a, b)));
    const now = typeof own === "number" ? `, now ${shown(own, "", named)}` : "";
    const steps = STEPS.filter((look) => look === "same" || !/^less/.test(look) || least < (own ?? least));
    const kept = steps.filter((look) => !/^more/.test(look) || most > (own ?? -Infinity));
    const ends = [least, most].map((value) => shown(value, "", named));
    const range = named.length ? `${ends[1]}, ${title}` : titled(title, most);
    parts.push(el("span", {}, ends[0], ...kept.map(swatch), el("span", {}, `${range}${now}`)));
  }
  const words = { hatched: "no value", dashed: "not as wished", yes: "yes", no: "no" };
  const why = seen.changes.find((change) => change.value === null)?.reason;
  for (const [look, word] of Object.entries(words)) {
    if (looks.has(look)) parts.push(el("span", {}, swatch(look), look === "hatched" && why ? why : word));
  }
  return parts;
}
