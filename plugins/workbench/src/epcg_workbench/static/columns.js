// How values are distributed: one column for each value, how many have it and how many of these are as wished.
// @ts-check
import { el } from "./base.js";
import { svg } from "./board.js";

const [TOP, FOOT] = [18, 20],
  MOST_SLOTS = 140,
  MOST_WIDE = 56,
  MOST_NAMED = 30,
  LABEL = 22,
  NEAR = 4;

/** @typedef {{low: number, high: number, count: number, met: number, ofAll: number[] | null,
 *   metOfAll: number[] | null}} Bar */
/** The width and the height of the drawing. @type {[number, number]} */
const WIDE = [720, 190];
/** The same beside a board. @type {[number, number]} */
export const NARROW = [336, 104];

const whole = (/** @type {number} */ number) => number.toLocaleString("en");

/** @param {number} x @param {number} y @param {string} words @param {string} anchor */
export function label(x, y, words, anchor = "middle") {
  const made = svg("text", { x, y, "text-anchor": anchor });
  made.textContent = words;
  return made;
}

/** @param {BarRow[]} rows @returns {Bar[]} */
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

/** What a column says. @param {Bar} bar @param {(value: number) => string} shown @param {string} all of how many */
export function told(bar, shown, all = "") {
  const where = bar.low === bar.high ? shown(bar.low) : `${shown(bar.low)} to ${shown(bar.high)}`;
  const tried = `${where}: ${whole(bar.count)}${bar.met === bar.count ? "" : `, ${whole(bar.met)} as wished`}`;
  if (!bar.ofAll || !bar.metOfAll) return tried;
  const some = (/** @type {number[]} */ [low, high]) => `some ${whole(low)} to ${whole(high)}`;
  return `${tried} of those tried; ${some(bar.ofAll)} of ${all}, ${some(bar.metOfAll)} as wished`;
}

/**
 * What the colours mean.
 * @param {string} title @param {boolean} differs whether some are not as wished
 */
export function keys(title, differs) {
  const key = (/** @type {string} */ name, /** @type {string} */ word) =>
    el("span", {}, el("span", { class: `swatch ${name}` }), ` ${word}`);
  const both = differs ? [key("met", `${title}, as wished`), key("all", "has a value")] : [key("met", title)];
  return el("p", { class: "keys" }, ...both);
}

/**
 * Where each column lies: at its value, if there is room for a slot for each step; else beside the others.
 * @param {Bar[]} bars @param {number} room @returns {{x: (at: number) => number, wide: number}}
 */
function places(bars, room) {
  const single = bars.every(({ low, high }) => low === high && Number.isFinite(low));
  const steps = bars.slice(1).map(({ low }, at) => low - bars[at].low);
  const step = steps.length ? Math.min(...steps) : 1;
  const slots = single ? (bars[bars.length - 1].low - bars[0].low) / step + 1 : Infinity;
  const isEven = steps.every((each) => Math.abs(each / step - Math.round(each / step)) < 1e-9);
  if (isEven && slots <= (MOST_SLOTS * room) / WIDE[0]) {
    const wide = room / slots;
    return { x: (at) => Math.round((bars[at].low - bars[0].low) / step) * wide, wide };
  }
  return { x: (at) => (at * room) / bars.length, wide: room / bars.length };
}

/**
 * The columns. If `chosen` is given, dragging over them chooses a range of values; it hears of it, with null for all.
 * After a sample each column is what the sample stands for, with its interval: `of` and `tried` are needed then.
 * @param {Bar[]} all @param {{title: string, shown: (value: number) => string, of?: string, tried?: string,
 *   others?: boolean, range?: [number, number] | null, size?: [number, number],
 *   chosen?: (range: [number, number] | null) => void}} about
 */
export function columns(all, about) {
  const { title, shown, of = "1", tried: looked = "1", others = true, range, size = WIDE, chosen } = about;
  const bars = others ? all : all.filter(({ met }) => met),
    [width, height] = size;
  if (!bars.length) return svg("svg", { viewBox: `0 0 ${width} 1`, role: "img", "aria-label": "No columns" });
  const { x, wide } = places(bars, width);
  const isSample = bars.some(({ ofAll }) => ofAll);
  const many = (/** @type {Bar} */ bar) => (others ? bar.count : bar.met);
  const ends = (/** @type {Bar} */ bar) => (others ? bar.ofAll : bar.metOfAll);
  const tried = Math.max(1, ...bars.map(many)),
    most = Math.max(1, ...bars.map((bar) => ends(bar)?.[1] ?? 0));
  const share = isSample ? Number(of) / Math.max(1, Number(looked)) : 1; // what is tried, drawn as what it stands for
  const scale = isSample ? Math.max(most, tried * share) : tried;
  const y = (/** @type {number} */ count) => TOP + (height - TOP - FOOT) * (1 - count / scale);
  const base = y(0),
    gap = wide > 6 ? 2 : 0.5,
    own = Math.min(MOST_WIDE, Math.max(1, wide - 2 * gap));
  const parts = bars.map((bar, at) => {
    const middle = x(at) + wide / 2,
      isOut = range && (bar.high < range[0] || bar.low > range[1]);
    const rect = (/** @type {number} */ count, /** @type {string} */ name) => {
      const high = count ? Math.max(1.5, base - y(count * share)) : 0; // one of thousands is seen, too
      const box = { x: middle - own / 2, y: base - high, width: own, height: high, rx: 2 };
      return svg("rect", { ...box, class: `${name}${isOut ? " out" : ""}` });
    };
    const tip = svg("title");
    tip.textContent = told(bar, shown, whole(Number(of)));
    const group = svg("g", {}, ...(others ? [rect(bar.count, "all")] : []), rect(bar.met, "met"), tip);
    const interval = ends(bar),
      half = Math.min(4, own / 3);
    if (interval) {
      const [low, high] = interval.map(y);
      group.append(
        svg("path", {
          class: "interval",
          d: `M${middle} ${low}V${high}M${middle - half} ${low}h${2 * half}M${middle - half} ${high}h${2 * half}`,
        }),
      );
    } else if (wide >= LABEL && many(bar)) group.append(label(middle, y(many(bar)) - 4, whole(many(bar))));
    return group;
  });
  parts.push(...scaleOf(bars, x, wide, shown, size));
  const line = svg("path", { class: "base", d: `M0 ${base}H${width}` });
  const drag = chosen ? " Drag over columns to see some of them only." : "";
  const each = bars.length > MOST_NAMED ? "" : `: ${bars.map((bar) => told(bar, shown, whole(Number(of)))).join("; ")}`;
  const name = `How many have each value of ${title}${each}.${drag}`;
  const named = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name };
  if (!chosen) return svg("svg", named, ...parts, line);
  const brush = svg("rect", { class: "brush", y: 0, height: base, x: 0, width: 0 });
  const draw = (/** @type {number} */ from, /** @type {number} */ to) => {
    brush.setAttribute("x", String(from));
    brush.setAttribute("width", String(Math.max(0, to - from)));
  };
  if (range) {
    const inside = bars.map((_, at) => at).filter((at) => bars[at].high >= range[0] && bars[at].low <= range[1]);
    if (inside.length) draw(x(inside[0]), x(inside[inside.length - 1]) + wide);
  }
  const drawn = svg("svg", { ...named, class: "brushed" }, brush, ...parts, line);
  brushing(drawn, width, draw, (from, to) => {
    const inside = bars.filter((_, at) => x(at) + wide > from && x(at) < to);
    chosen(to - from < NEAR && range ? null : inside.length ? [inside[0].low, inside[inside.length - 1].high] : null);
  });
  return drawn;
}

/**
 * The values below the columns, as many as there is room for; of a range of values both ends, if there is room.
 * @param {Bar[]} bars @param {(at: number) => number} x @param {number} wide
 * @param {(value: number) => string} shown @param {[number, number]} size
 */
function scaleOf(bars, x, wide, shown, [width, height]) {
  const room = (/** @type {string} */ words) => 4 + words.length * 3.5,
    ends = bars.map(({ low, high }) => (low === high ? shown(low) : `${shown(low)}–${shown(high)}`)),
    isRoomy = ends.every((words) => 2 * room(words) <= wide);
  let free = -Infinity;
  return bars.flatMap((bar, at) => {
    const middle = x(at) + wide / 2,
      isLast = at === bars.length - 1,
      words = isRoomy ? ends[at] : shown(isLast ? bar.high : bar.low), // the scale ends with the highest value
      half = room(words);
    if (middle - half < free) return [];
    free = middle + half;
    return [label(Math.min(Math.max(middle, half), width - half), height - 5, words)];
  });
}

/**
 * Drag over a drawing.
 * @param {SVGElement} drawn @param {number} width @param {(from: number, to: number) => void} draw
 * @param {(from: number, to: number) => void} end
 */
function brushing(drawn, width, draw, end) {
  let from = /** @type {number | null} */ (null);
  const at = (/** @type {PointerEvent} */ event) => {
    const box = drawn.getBoundingClientRect();
    return Math.max(0, Math.min(width, ((event.clientX - box.left) / box.width) * width));
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
