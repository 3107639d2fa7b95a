// How values are distributed, as columns with a brush and their intervals, and two measures as dots.
// @ts-check
import { svg } from "./board.js";

const [WIDE, HIGH, TOP, FOOT] = [720, 190, 18, 20],
  MOST_SLOTS = 140,
  LABEL = 22,
  NEAR = 4;

/** @typedef {{low: number, high: number, count: number, met: number, ofAll: number[] | null,
 *   metOfAll: number[] | null}} Bar */

/** @param {number} x @param {number} y @param {string} words @param {string} anchor */
function label(x, y, words, anchor = "middle") {
  const made = svg("text", { x, y, "text-anchor": anchor });
  made.textContent = words;
  return made;
}

/** @param {any[]} rows as the server has them @returns {Bar[]} */
export function barsOf(rows) {
  return rows.map(([low, high, count, met, ofAll = null, metOfAll = null]) => ({
    low,
    high,
    count,
    met,
    ofAll,
    metOfAll,
  }));
}

const whole = (/** @type {number} */ number) => number.toLocaleString("en");

/** What a column says. @param {Bar} bar @param {(value: any) => string} shown @param {string} all of how many */
export function told(bar, shown, all) {
  const where = bar.low === bar.high ? shown(bar.low) : `${shown(bar.low)} to ${shown(bar.high)}`;
  const tried = `${where}: ${whole(bar.count)}${bar.met === bar.count ? "" : `, ${whole(bar.met)} as wished`}`;
  if (!bar.ofAll || !bar.metOfAll) return tried;
  const some = (/** @type {number[]} */ [low, high]) => `some ${whole(low)} to ${whole(high)}`;
  return `${tried} of those tried; ${some(bar.ofAll)} of ${all}, ${some(bar.metOfAll)} as wished`;
}

/**
 * Where each column lies: at its value, if there is room for a slot for each step; else beside the others.
 * @param {Bar[]} bars @returns {{x: (at: number) => number, wide: number}}
 */
function places(bars) {
  const single = bars.every(({ low, high }) => low === high && Number.isFinite(low));
  const steps = bars.slice(1).map(({ low }, at) => low - bars[at].low);
  const step = steps.length ? Math.min(...steps) : 1;
  const slots = single ? (bars[bars.length - 1].low - bars[0].low) / step + 1 : Infinity;
  const isEven = steps.every((each) => Math.abs(each / step - Math.round(each / step)) < 1e-9);
  if (isEven && slots <= MOST_SLOTS) {
    const wide = WIDE / slots;
    return { x: (at) => Math.round((bars[at].low - bars[0].low) / step) * wide, wide };
  }
  return { x: (at) => (at * WIDE) / bars.length, wide: WIDE / bars.length };
}

/**
 * The columns. Dragging over them chooses a range of values; `chosen` hears of it, with null for all.
 * @param {Bar[]} all @param {{title: string, shown: (value: any) => string, of: string, tried: string, others: boolean,
 *   range: [number, number] | null, chosen: (range: [number, number] | null) => void}} about
 */
export function columns(all, { title, shown, of, tried: looked, others, range, chosen }) {
  const bars = others ? all : all.filter(({ met }) => met);
  if (!bars.length) return svg("svg", { viewBox: `0 0 ${WIDE} 1`, role: "img", "aria-label": "No columns" });
  const { x, wide } = places(bars);
  const sample = bars.some(({ ofAll }) => ofAll);
  const size = (/** @type {Bar} */ bar) => (others ? bar.count : bar.met);
  const ends = (/** @type {Bar} */ bar) => (others ? bar.ofAll : bar.metOfAll);
  const tried = Math.max(1, ...bars.map(size)),
    most = Math.max(1, ...bars.map((bar) => ends(bar)?.[1] ?? 0));
  const share = sample ? Number(of) / Math.max(1, Number(looked)) : 1; // what is tried, drawn as what it stands for
  const scale = sample ? Math.max(most, tried * share) : tried;
  const y = (/** @type {number} */ count) => TOP + (HIGH - TOP - FOOT) * (1 - count / scale);
  const base = y(0),
    gap = wide > 6 ? 2 : 0.5;
  const parts = bars.flatMap((bar, at) => {
    const left = x(at) + gap,
      own = Math.max(1, wide - 2 * gap),
      isOut = range && (bar.high < range[0] || bar.low > range[1]);
    const rect = (/** @type {number} */ count, /** @type {string} */ name) =>
      svg("rect", {
        x: left,
        y: y(count * share),
        width: own,
        height: base - y(count * share),
        rx: 2,
        class: `${name}${isOut ? " out" : ""}`,
      });
    const tip = svg("title");
    tip.textContent = told(bar, shown, whole(Number(of)));
    const group = svg("g", {}, ...(others ? [rect(bar.count, "all")] : []), rect(bar.met, "met"), tip);
    const interval = ends(bar),
      middle = left + own / 2,
      half = Math.min(4, own / 3);
    if (interval) {
      const [low, high] = interval.map(y);
      group.append(
        svg("path", {
          class: "interval",
          d: `M${middle} ${low}V${high}M${middle - half} ${low}h${2 * half}M${middle - half} ${high}h${2 * half}`,
        }),
      );
    } else if (wide >= LABEL) group.append(label(middle, y(size(bar)) - 4, whole(size(bar))));
    return [group];
  });
  let free = -Infinity;
  bars.forEach((bar, at) => {
    const middle = x(at) + wide / 2,
      words = shown(bar.low),
      room = 4 + words.length * 3.5;
    if (middle - room < free) return;
    free = middle + room;
    parts.push(label(Math.min(Math.max(middle, room), WIDE - room), HIGH - 5, words));
  });
  const brush = svg("rect", { class: "brush", y: 0, height: base, x: 0, width: 0 });
  const draw = (/** @type {number} */ from, /** @type {number} */ to) => {
    brush.setAttribute("x", String(from));
    brush.setAttribute("width", String(Math.max(0, to - from)));
  };
  if (range) {
    const inside = bars.map((_, at) => at).filter((at) => bars[at].high >= range[0] && bars[at].low <= range[1]);
    if (inside.length) draw(x(inside[0]), x(inside[inside.length - 1]) + wide);
  }
  const line = svg("path", { class: "base", d: `M0 ${base}H${WIDE}` });
  const drawn = svg(
    "svg",
    {
      viewBox: `0 0 ${WIDE} ${HIGH}`,
      role: "img",
      "aria-label": `How many have each value: ${title}. Drag over columns to see some of them only.`,
    },
    brush,
    ...parts,
    line,
  );
  brushing(drawn, draw, (from, to) => {
    const inside = bars.filter((_, at) => x(at) + wide > from && x(at) < to);
    chosen(to - from < NEAR && range ? null : inside.length ? [inside[0].low, inside[inside.length - 1].high] : null);
  });
  return drawn;
}

/**
 * Drag over a drawing.
 * @param {any} drawn @param {(from: number, to: number) => void} draw @param {(from: number, to: number) => void} end
 */
function brushing(drawn, draw, end) {
  let from = /** @type {number | null} */ (null);
  const at = (event) => {
    const box = drawn.getBoundingClientRect();
    return Math.max(0, Math.min(WIDE, ((event.clientX - box.left) / box.width) * WIDE));
  };
  drawn.addEventListener("pointerdown", (event) => {
    from = at(event);
    drawn.setPointerCapture(event.pointerId);
  });
  drawn.addEventListener("pointermove", (event) => {
    if (from !== null) draw(Math.min(from, at(event)), Math.max(from, at(event)));
  });
  drawn.addEventListener("pointercancel", () => {
    from = null;
  });
  drawn.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const to = at(event),
      start = from;
    from = null;
    end(Math.min(start, to), Math.max(start, to));
  });
}

/**
 * Two measures of the same contents.
 * @param {[string, any, any][]} points @param {{first: string, second: string, drawn: boolean,
 *   shown: (value: any) => string, open: (rank: string) => void}} about
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
      cy = 10 + (HIGH + 60 - 40) * (1 - (vs[at] - low) / (high - low || 1));
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
    { viewBox: `0 0 ${WIDE} ${HIGH + 60}`, role: "img", "aria-label": words },
    ...made,
    label(WIDE / 2, HIGH + 54, axis),
    label(4, 16, shown(high), "start"),
    label(4, HIGH + 34, shown(low), "start"),
    label(WIDE - 4, 16, second, "end"),
  );
}
