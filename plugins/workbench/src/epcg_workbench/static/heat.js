// The map of changes: each place has the value of its best change that is as wished.
// @ts-check

/**
 * What to draw on each place: colour, label and title.
 * @param {any} seen what an analysis found: see changes.js
 * @param {(value: any, reason: string) => string} shown a value in words
 */
export function colours(seen, shown) {
  const { own } = seen, high = seen.keep !== "lowest";
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
    const told = wished || value === null ? paint(value, own, reach) : { colour: "", label: "–" };
    found.set(site, { ...told, title });
  }
  return found;
}

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
  const { value } = change, other = now.change.value;
  if (value === null || other === null) return value !== null;
  return high ? value > other : value < other;
}

/** Colour and label of a value. @param {any} value @param {any} own @param {number} reach */
function paint(value, own, reach) {
  const same = value === own;
  if (value === null) return { colour: "#8a8a8a", label: "×" };
  if (same) return { colour: "", label: "" };
  if (typeof value === "boolean") return { colour: value ? "#2f9e44" : "#e03131", label: value ? "yes" : "no" };
  const share = 0.35 + 0.65 * Math.min(1, Math.abs(value - (own ?? 0)) / reach);
  const colour = own === null || value > own ? `rgb(240 140 0 / ${share})` : `rgb(34 139 230 / ${share})`;
  return { colour, label: brief(value) };
}

/** A number in at most some four characters; the whole one stands under the board. @param {number} value */
function brief(value) {
  if (Math.abs(value) >= 1000) {
    return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 }).format(value);
  }
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
