// The map of changes: each place has the value of its best change that is as wished.
// @ts-check

/**
 * What to draw on each place: its look, label and title.
 * @param {any} seen what an analysis found: see changes.js
 * @param {(value: any, reason: string) => string} shown a value in words
 */
export function colours(seen, shown) {
  const { own } = seen,
    high = seen.keep !== "lowest";
  const best = new Map();
  for (const change of seen.changes) {
    const wished = asWished(change, seen);
    for (const site of change.sites) {
      const now = best.get(site);
      if (!now || better(change, wished, now, high)) best.set(site, { change, wished });
    }
  }
  const numbers = [...best.values()].map(({ change }) => change.value).filter((value) => typeof value === "number");
  const reach = Math.max(1e-9, ...numbers.map((value) => Math.abs(value - (own ?? 0))));
  const found = new Map();
  for (const [site, { change, wished }] of best) {
    const { value } = change;
    const title = `${change.description}: ${shown(value, change.reason)}${wished ? "" : ", not as wished"}`;
    const isShown = wished || value === null || typeof value === "boolean"; // a yes or no tells it already
    const told = isShown ? paint(value, own, reach) : { look: "dashed", label: "" };
    found.set(site, { colour: "", ...told, title });
  }
  return found;
}

/**
 * What the looks of a map mean: the steps of its colours with their ends, then the kinds of empty tiles.
 * @param {Map<string, any>} heat @param {any} seen @param {any} el @param {(value: any) => string} shown
 * @param {string} title of the measure
 */
export function legend(heat, seen, el, shown, title) {
  const looks = new Set([...heat.values()].map(({ look }) => look));
  const values = seen.changes
    .map((/** @type {any} */ change) => change.value)
    .filter((/** @type {any} */ value) => typeof value === "number");
  const swatch = (/** @type {string} */ look) => el("span", { class: `swatch ${look}` });
  const parts = [];
  if (values.length && [...looks].some((look) => /^(more|less|same)/.test(look ?? ""))) {
    const [least, most] = [Math.min, Math.max].map((end) =>
      values.reduce((/** @type {number} */ a, /** @type {number} */ b) => end(a, b)),
    );
    const now = typeof seen.own === "number" ? `, now ${shown(seen.own)}` : "";
    const steps = STEPS.filter((look) => look === "same" || !/^less/.test(look) || least < (seen.own ?? least));
    const kept = steps.filter((look) => !/^more/.test(look) || most > (seen.own ?? -Infinity));
    parts.push(el("span", {}, shown(least), ...kept.map(swatch), `${shown(most)} ${title}${now}`));
  }
  const words = { hatched: "no value", dashed: "not as wished", yes: "yes", no: "no" };
  const why = seen.changes.find((/** @type {any} */ change) => change.value === null)?.reason;
  for (const [look, word] of Object.entries(words)) {
    if (looks.has(look)) parts.push(el("span", {}, swatch(look), look === "hatched" && why ? why : word));
  }
  return parts;
}
const STEPS = ["less4", "less3", "less2", "less1", "same", "more1", "more2", "more3", "more4"];

/** Whether a change is as wished, or as the others allow if nothing is. @param {any} change @param {any} seen */
function asWished(change, seen) {
  const spared = seen.allowed ? seen.allowed.condition + 1 : -1;
  return (change.fails ?? []).every((/** @type {number} */ number) => number === spared);
}

/**
 * Whether a change is rather shown than another.
 * @param {any} change @param {boolean} wished @param {any} now @param {boolean} high
 */
function better(change, wished, now, high) {
  if (wished !== now.wished) return wished;
  const { value } = change,
    other = now.change.value;
  if (value === null || other === null) return value !== null;
  return high ? value > other : value < other;
}

/** Look and label of a value. @param {any} value @param {any} own @param {number} reach */
function paint(value, own, reach) {
  if (value === null) return { look: "hatched", label: "" };
  if (typeof value === "boolean") {
    return { look: value === own ? "same" : value ? "yes" : "no", label: value ? "yes" : "no" };
  }
  if (value === own) return { look: "same", label: brief(value) };
  const step = Math.max(1, Math.ceil((4 * Math.abs(value - (own ?? 0))) / reach));
  return { look: `${own === null || value > own ? "more" : "less"}${Math.min(4, step)}`, label: brief(value) };
}

/** A number in at most some four characters; the whole one stands under the board. @param {number} value */
function brief(value) {
  if (Math.abs(value) >= 1000) {
    return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 }).format(value);
  }
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
