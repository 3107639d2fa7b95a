// How hard the puzzles of a plan are, in their order.
// @ts-check
import { $, el } from "./base.js";
import { svg } from "./board.js";
import { counted, shown } from "./words.js";

const [WIDE, HIGH, SIDE, TOP, FOOT] = [704, 92, 4, 18, 8],
  COLOURS = 4,
  ROOM = 26;

/**
 * Draw the measure of all puzzles.
 * @param {import("./arrange.js").ArrangePage} plans @param {(entry: string) => void} focus gives a puzzle the focus
 */
export function curve(plans, focus) {
  const every = plans.puzzles(),
    all = every.flatMap(({ value, ...each }) => (typeof value === "number" ? [{ ...each, value }] : []));
  $("plan-curve-part").hidden = all.length < 2;
  if (all.length < 2) return $("plan-curve").replaceChildren();
  const numbers = new Map(every.map(({ entry }, at) => [entry, at])),
    step = (WIDE - 2 * SIDE) / every.length;
  const x = (/** @type {string} */ entry) => SIDE + ((numbers.get(entry) ?? 0) + 0.5) * step;
  const measures = [...new Set(all.map(({ measure }) => measure))],
    /** @type {SVGElement[]} */ parts = [],
    /** @type {HTMLElement[]} */ legend = [];
  plans.present.chapters.forEach((_, i) => {
    const own = every.filter((each) => each.i === i);
    if (own.length)
      parts.push(
        svg("rect", {
          x: x(own[0].entry) - step / 2 + 1,
          y: 0,
          width: own.length * step - 2,
          height: HIGH,
          rx: 2,
          class: i === plans.at ? "band on" : "band",
        }),
      );
  });
  measures.forEach((measure, at) => {
    const own = all.filter((each) => each.measure === measure),
      values = own.map(({ value }) => value);
    const low = Math.min(...values),
      high = Math.max(...values);
    const y = (/** @type {number} */ value) => TOP + (HIGH - TOP - FOOT) * (1 - (value - low) / (high - low || 1));
    parts.push(
      svg("polyline", {
        points: own.map(({ entry, value }) => `${x(entry)},${y(value)}`).join(" "),
        class: `line colour${at % COLOURS}`,
      }),
    );
    for (const each of own) {
      const dot = svg("circle", { cx: x(each.entry), cy: y(each.value), r: 4, class: `colour${at % COLOURS}` });
      const title = svg("title");
      title.textContent = `${(numbers.get(each.entry) ?? 0) + 1}: ${each.told}`;
      dot.append(title);
      dot.addEventListener("click", () => {
        plans.choose(each.i, each.entry);
        focus(each.entry);
      });
      parts.push(dot);
      if (step >= ROOM) {
        const text = svg("text", { x: x(each.entry), y: y(each.value) - 8, "text-anchor": "middle" });
        text.textContent = shown(each.value);
        parts.push(text);
      }
    }
    legend.push(
      el("span", { class: measures.length > 1 ? `key colour${at % COLOURS}` : "" }, plans.pane.title(measure)),
    );
  });
  $("plan-legend").replaceChildren(...legend);
  const titles = measures.map((name) => plans.pane.title(name));
  return $("plan-curve").replaceChildren(
    svg(
      "svg",
      {
        viewBox: `0 0 ${WIDE} ${HIGH}`,
        role: "img",
        "aria-label": `${titles.join(", ")} of ${counted(every.length, "puzzle")} in order`,
      },
      ...parts,
    ),
  );
}
