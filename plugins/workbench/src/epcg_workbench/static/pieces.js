// What is known of the levels of a file without their domain. No page.
// @ts-check

/** The sites of a board without its rim; all, if it has no rows and columns. @param {Site[]} sites */
export function inside(sites) {
  const cells = sites.flatMap(([id]) => {
    const found = /^c(\d+),(\d+)$/.exec(id);
    return found ? [{ id, x: Number(found[1]), y: Number(found[2]) }] : [];
  });
  if (!cells.length) return sites.map(([id]) => id);
  const right = Math.max(...cells.map(({ x }) => x)), bottom = Math.max(...cells.map(({ y }) => y));
  return cells.filter(({ x, y }) => x > 1 && y > 1 && x < right && y < bottom).map(({ id }) => id);
}

/**
 * The number of the piece to open after the pieces were changed.
 * @param {string} how @param {number} number of the piece that was changed @param {number} after how many there are now
 * @param {number} [to] where it was moved
 */
export function opensAt(how, number, after, to = number) {
  if (how === "duplicate") return number + 1;
  return how === "move" ? to : how === "remove" ? Math.min(number, after - 1) : number;
}
