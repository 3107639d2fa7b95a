// What is known of levels without their domain.
// @ts-check
import { one } from "./api.js";

/** The sites of a board without its rim; all, if it has no rows and columns. @param {any[]} sites */
export function inside(sites) {
  const places = sites.map(([id]) => [id, ...(/^c(\d+),(\d+)$/.exec(id)?.slice(1).map(Number) ?? [])]);
  const cells = places.filter((each) => each.length === 3);
  if (!cells.length) return sites.map(([id]) => id);
  const [right, bottom] = [1, 2].map((at) => Math.max(...cells.map((each) => each[at])));
  return cells.filter(([, x, y]) => x > 1 && y > 1 && x < right && y < bottom).map(([id]) => id);
}

/**
 * An empty level of the size of one of a file; null if its domain refuses empty ones.
 * @param {any} file `domain`, `format`, `text` @param {number} number
 */
export async function emptied({ domain, format, text }, number) {
  const found = await one("project_piece", { domain, format, text, number });
  try {
    return (await one("put", { domain, text: found.text, sites: inside(found.scene.sites), mark: "" })).text;
  } catch (error) {
    if (error.lost) throw error;
    return null;
  }
}
