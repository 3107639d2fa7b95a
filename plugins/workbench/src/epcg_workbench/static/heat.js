// The map of changes: each place has the value of its best change that is as wished. No page.
// @ts-check

/** What an analysis has found so far: the content's own value of the measure, and the changes with theirs.
 * @typedef {{own: Value, keep: string, changes: Change[], allowed?: Allowed}} Found */
/** A change, and whether it is as wished. @typedef {{change: Change, wished: boolean}} Best */

/**
 * What to draw on each place: its look, label and title.
 * @param {Found} seen @param {(value: Value, reason: string) => string} shown a value in words
 */
export function colours(seen, shown) {
  const { own } = seen,
    high = seen.keep !== "lowest";
  /** @type {Map<string, Best>} */ const best = new Map();
  for (const change of seen.changes) {
    const wished = asWished(change, seen);
    for (const site of change.sites) {
      const now = best.get(site);
      if (!now || better(change, wished, now, high)) best.set(site, { change, wished });
    }
  }
  const numbers = [...best.values()].map(({ change }) => change.value).filter((value) => typeof value === "number");
  const reach = Math.max(1e-9, ...numbers.map((value) => Math.abs(value - Number(own))));
  /** @type {Map<string, import("./board.js").Tile>} */ const found = new Map();
  for (const [site, { change, wished }] of best) {
    const { value } = change;
    const title = `${change.description}: ${shown(value, change.reason)}${wished ? "" : ", not as wished"}`;
    const isShown = wished || value === null || typeof value === "boolean"; // a yes or no tells it already
    const told = isShown ? paint(value, own, reach) : { look: "dashed", label: "" };
    found.set(site, { colour: "", ...told, title });
  }
  return found;
}

/** Whether a change is as wished, or as the others allow if nothing is. @param {Change} change @param {Found} seen */
function asWished(change, seen) {
  const spared = seen.allowed ? seen.allowed.condition + 1 : -1;
  return (change.fails ?? []).every((number) => number === spared);
}

/**
 * Whether a change is rather shown than another.
 * @param {Change} change @param {boolean} wished @param {Best} now @param {boolean} high
 */
function better(change, wished, now, high) {
  if (wished !== now.wished) return wished;
  const { value } = change,
    other = now.change.value;
  if (value === null || other === null) return value !== null;
  return high ? value > other : value < other;
}

/** Look and label of a value. @param {Value} value @param {Value} own @param {number} reach */
function paint(value, own, reach) {
  if (value === null) return { look: "hatched", label: "" };
  if (typeof value === "boolean") {
    return { look: value === own ? "same" : value ? "yes" : "no", label: value ? "yes" : "no" };
  }
  if (value === own) return { look: "same", label: brief(value) };
  const step = Math.max(1, Math.ceil((4 * Math.abs(value - Number(own))) / reach));
  return { look: `${own === null || value > Number(own) ? "more" : "less"}${Math.min(4, step)}`, label: brief(value) };
}

/** A number in at most some four characters; the whole one stands under the board. @param {number} value */
function brief(value) {
  if (Math.abs(value) >= 1000) {
    return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 }).format(value);
  }
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
