// The lines beside the list of the past: a lane for each branch, which begins at the state that it came from.
// @ts-check

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 14, HEIGHT = 56, MIDDLE = HEIGHT / 2, DOT = 4, MOST_LANES = 6;

/** The middle of a lane; those beyond the last share it. @param {number} lane */
const across = (lane) => WIDTH * (Math.min(lane, MOST_LANES - 1) + 0.5);

/**
 * Draw the lines of rows, the newest first: a drawing for each.
 * @param {Pick<PastRow, "key" | "parent" | "lane" | "isCurrent">[]} rows
 */
export function railsOf(rows) {
  const places = new Map(rows.map(({ key }, number) => [key, number]));
  const wide = WIDTH * Math.min(MOST_LANES, Math.max(0, ...rows.map(({ lane }) => lane)) + 1);
  /** @type {string[][]} */ const lines = rows.map(() => []);
  for (const [number, { parent, lane }] of rows.entries()) {
    const end = places.get(parent), x = across(lane);
    if (end === undefined) {
      if (parent) for (let row = number; row < rows.length; row += 1) lines[row].push(below(x, row > number));
      continue; // it came from a state that is not listed, or from none
    }
    for (let row = number; row < end; row += 1) lines[row].push(below(x, row > number));
    const to = across(rows[end].lane);
    lines[end].push(`M${x} 0Q${x} ${MIDDLE} ${to} ${MIDDLE}`);
  }
  return rows.map(({ lane, isCurrent }, number) => drawn(wide, lines[number].join(""), across(lane), isCurrent));
}

/** A line down a row, from its middle or from its top. @param {number} x @param {boolean} whole */
const below = (x, whole) => `M${x} ${whole ? 0 : MIDDLE}V${HEIGHT}`;

/** @param {number} wide @param {string} line @param {number} x of the dot @param {boolean} isCurrent */
function drawn(wide, line, x, isCurrent) {
  const rail = made("svg", { class: "rail", width: wide, height: HEIGHT, "aria-hidden": "true" });
  rail.append(made("path", { d: line || "M0 0" }));
  rail.append(made("circle", { cx: x, cy: MIDDLE, r: isCurrent ? DOT + 1 : DOT, class: isCurrent ? "here" : "" }));
  return rail;
}

/** @param {string} name @param {Record<string, string | number>} attributes */
function made(name, attributes) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
