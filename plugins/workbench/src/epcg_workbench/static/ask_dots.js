// Two measures of the same contents as dots.
// @ts-check
import { svg } from "./board.js";
import { label } from "./columns.js";

const [WIDE, HIGH] = [720, 250];

/**
 * Two measures of the same contents.
 * @param {[rank: string, first: number, second: number][]} points
 * @param {{first: string, second: string, drawn: boolean,
 *   shown: (value: number) => string, open: (rank: string) => void}} about
 */
export function dots(points, { first, second, drawn, shown, open }) {
  const [us, vs] = [1, 2].map((at) => points.map((point) => Number(point[at])));
  const ends = (/** @type {number[]} */ values) => [
    values.reduce((a, b) => Math.min(a, b)),
    values.reduce((a, b) => Math.max(a, b)),
  ];
  const [[left, right], [low, high]] = [ends(us), ends(vs)];
  const made = points.map(([rank], at) => {
    const cx = 46 + ((us[at] - left) / (right - left || 1)) * (WIDE - 62),
      cy = 10 + (HIGH - 40) * (1 - (vs[at] - low) / (high - low || 1));
    const dot = svg("circle", { cx, cy, r: 3 });
    const title = svg("title");
    title.textContent = `${shown(us[at])}, ${shown(vs[at])}`;
    dot.append(title);
    dot.addEventListener("click", () => open(rank));
    return dot;
  });
  const axis = `${first} ${shown(left)} to ${shown(right)}`,
    words = `${second} over ${first} of ${points.length.toLocaleString("en")}${drawn ? " drawn by chance" : ""}`;
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words },
    ...made,
    label(WIDE / 2, HIGH - 6, axis),
    label(4, 16, shown(high), "start"),
    label(4, HIGH - 26, shown(low), "start"),
    label(WIDE - 4, 16, second, "end"),
  );
}
