// What is known of levels without their domain.
// @ts-check

/** The sites of a board without its rim; all, if it has no rows and columns. @param {any[]} sites */
export function inside(sites) {
  const places = sites.map(([id]) => [id, ...(/^c(\d+),(\d+)$/.exec(id)?.slice(1).map(Number) ?? [])]);
  const cells = places.filter((each) => each.length === 3);
  if (!cells.length) return sites.map(([id]) => id);
  const [right, bottom] = [1, 2].map((at) => Math.max(...cells.map((each) => each[at])));
  return cells.filter(([, x, y]) => x > 1 && y > 1 && x < right && y < bottom).map(([id]) => id);
}
