// A histogram of a measure: how many have a value, and how many of these are as wished.
// @ts-check
import { svg } from "./board.js";

const WIDTH = 336,
  HEIGHT = 64,
  TOP = 14,
  BOTTOM = 16;

/**
 * Draw bars: [low, high, how many, how many as wished]; low and high are equal for a single value.
 * @param {number[][]} counts @param {any} el @param {(value: any) => string} shown
 * @param {string} title of the measure @param {boolean} hasWish whether there are conditions
 */
export function bars(counts, el, shown, title, hasWish) {
  if (!counts.length) return [];
  const most = Math.max(...counts.map(([, , all]) => all)),
    step = WIDTH / counts.length,
    wide = Math.min(44, step - 3);
  const height = (/** @type {number} */ count) => (count ? Math.max(1.5, (HEIGHT * count) / most) : 0);
  const told = (/** @type {number} */ low, /** @type {number} */ high) =>
    low === high ? shown(low) : `${shown(low)} to ${shown(high)}`;
  const single = counts.every(([low, high]) => low === high), mostMarks = single ? 14 : 7;
  const markOf = (/** @type {number} */ low, /** @type {number} */ high) =>
    low === high ? shown(low) : `${shown(low)}–${shown(high)}`;
  const words = counts
    .filter(([, , all]) => all)
    .map(([low, high, all, own]) => `${told(low, high)}: ${all}${hasWish ? `, ${own} as wished` : ""}`);
  const about = {
    viewBox: `0 0 ${WIDTH} ${HEIGHT + TOP + BOTTOM}`,
    role: "img",
    class: "bars",
    "aria-label": `${title}: ${words.join("; ")}`,
  };
  const parts = counts.flatMap(([low, high, all, own], at) => {
    const middle = (at + 0.5) * step,
      x = middle - wide / 2,
      base = TOP + HEIGHT;
    const text = (/** @type {string} */ word, /** @type {number} */ y, name = "") => {
      const made = svg("text", { x: middle, y, class: name });
      made.textContent = word;
      return made;
    };
    const bar = (/** @type {number} */ count, /** @type {string} */ name) => {
      const h = height(count);
      return svg("rect", { x, y: base - h, width: wide, height: h, rx: 2, class: name });
    };
    const tip = svg("title");
    const wished = hasWish ? `, ${own.toLocaleString("en")} as wished` : "";
    tip.textContent = `${told(low, high)}: ${all.toLocaleString("en")}${wished}`;
    const mark = counts.length <= mostMarks || at % 2 === 0 ? [text(markOf(low, high), base + 12)] : [];
    const count = all ? [text(all.toLocaleString("en"), base - height(all) - 3, "count")] : [];
    return [
      svg("g", {}, tip, bar(all, hasWish ? "all" : "own"), ...(hasWish ? [bar(own, "own")] : []), ...count, ...mark),
    ];
  });
  const key = (/** @type {string} */ name, /** @type {string} */ word) =>
    el("span", {}, el("span", { class: `swatch ${name}` }), ` ${word}`);
  const keys = hasWish ? [key("own", `${title}, as wished`), key("all", "has a value")] : [key("own", title)];
  return [svg("svg", about, ...parts), el("p", { class: "keys" }, ...keys)];
}
