// What a sketch asks for: which marks may lie on which open places, and how often each may occur. No page.
// @ts-check

/**
 * How often marks may occur, as the generator has it; marks without limits are left out.
 * @param {{name: string, least: string, most: string}[]} taken the marks that are taken, with what is typed as limits
 * @param {number} places how many places are open
 */
export function countsOf(taken, places) {
  /** @type {Record<string, [least: number, most: number]>} */ const found = {};
  for (const { name, least, most } of taken) {
    if (least || most) found[name] = [Number(least || 0), most === "" ? places : Number(most)];
  }
  return found;
}

/**
 * Places with the same marks together, as the generator has them.
 * @param {Map<string, string[]>} open what may lie on each open place
 */
export function grouped(open) {
  /** @type {Map<string, {sites: string[], marks: string[]}>} */ const groups = new Map();
  for (const [site, marks] of open) {
    const key = JSON.stringify(marks), known = groups.get(key);
    if (known) known.sites.push(site); else groups.set(key, { sites: [site], marks });
  }
  return [...groups.values()];
}

/** @param {string[]} names */
const single = (names) => (names.length < 2 ? (names[0] ?? "") : null);

/** @param {string[]} names what lies on a place @param {(name: string) => string} title */
const inWords = (names, title) => (
  names.length > 1 ? `${names.map(title).join(" and ")} (together)` : title(names[0] ?? "")
);

/**
 * What lies on open places now and is in no answer, in words; '' for nothing.
 * @param {Map<string, string[]>} open what may lie on each open place @param {(site: string) => string[]} lies
 * @param {(name: string) => string} title of a mark @param {(site: string) => string} where a place in words
 * @param {(names: string[]) => string | null} [markOf] the one mark that makes what lies on a place
 */
export function lost(open, lies, title, where, markOf = single) {
  const found = [...open].flatMap(([site, marks]) => {
    const names = lies(site), mark = markOf(names), stays = mark !== null && marks.includes(mark);
    return stays ? [] : [`${inWords(names, title)} at ${where(site)}`];
  });
  const more = found.length > 3 ? `, and ${found.length - 3} more` : "";
  return found.length ? `No answer keeps ${found.slice(0, 3).join(", ")}${more}.` : "";
}
