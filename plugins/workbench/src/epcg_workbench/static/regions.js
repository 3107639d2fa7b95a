// Regions of a board: what lies in them, how it is copied as text, and where it lies when it is moved. No page.
// @ts-check

/** @typedef {{at: number[], kind: string, marks: string[]}} Place relative to the first place of a region */
/** @typedef {{domain: string, places: Place[]}} Clip */
/** @typedef {Pick<import("./board.js").EpcgBoard, "sites" | "middle">} Board where places lie */
const NEAR = 0.05;

/**
 * What lies on some sites.
 * @param {Board} board @param {Scene} scene @param {string[]} sites @param {string} domain @returns {Clip}
 */
export function clipOf(board, scene, sites, domain) {
  const [x, y] = board.middle(sites[0]);
  const places = sites.map((id) => {
    const [u, v] = board.middle(id);
    return { at: [u - x, v - y], kind: board.sites.get(id)?.kind ?? "", marks: [...(scene.marks[id] ?? [])] };
  });
  return { domain, places };
}

/** What finds the site of a kind that lies at a point. @param {Board} board */
function finder(board) {
  /** @type {Map<string, string>} */ const index = new Map();
  const key = (/** @type {string} */ kind, /** @type {number} */ u, /** @type {number} */ v) =>
    `${kind} ${Math.round(u / NEAR)} ${Math.round(v / NEAR)}`;
  for (const [id, { kind }] of board.sites) {
    const [u, v] = board.middle(id);
    for (const a of [-1, 0, 1]) for (const b of [-1, 0, 1]) index.set(key(kind, u + a * NEAR, v + b * NEAR), id);
  }
  return (/** @type {string} */ kind, /** @type {number} */ x, /** @type {number} */ y) => index.get(key(kind, x, y));
}

/** How strokes are mirrored: what each image does to what lies right of and below the middle of the board. */
export const MIRRORS = {
  none: [], "left-right": [[-1, 1]], "up-down": [[1, -1]], both: [[-1, 1], [1, -1], [-1, -1]],
};

/** The middle of the rows and columns of a board; null if it has none. @param {Board} board */
export function centre(board) {
  const cells = [...board.sites.keys()].filter((id) => /^c\d+,\d+$/.test(id)).map((id) => board.middle(id));
  if (!cells.length) return null;
  const ends = [0, 1].map((at) => cells.map((each) => each[at]));
  return ends.map((all) => (Math.min(...all) + Math.max(...all)) / 2);
}

/**
 * Where the axes are by which strokes are mirrored on a board of any cells: nearest to the middle of some sites, or of
 * all, and so that most cells have an image. Null if there are none.
 * @param {Board} board @param {string[]} around
 */
export function axesOf(board, around) {
  const cells = [...board.sites].map(([id, { kind }]) => ({ kind, at: board.middle(id) })), lies = finder(board);
  const near = around.length ? around.map((id) => board.middle(id)) : cells.map(({ at }) => at);
  const found = [0, 1].map((way) => {
    const own = near.map((each) => each[way]), middle = (Math.min(...own) + Math.max(...own)) / 2;
    const lines = [...new Set(cells.map(({ at }) => at[way].toFixed(4)))].map(Number);
    const between = [...new Set(lines.flatMap((a) => lines.map((b) => (a + b) / 2)))];
    const far = (/** @type {number} */ each) => Math.abs(each - middle);
    return between.sort((a, b) => far(a) - far(b)).find((axis) => {
      const image = (/** @type {number} */ each, /** @type {number} */ of) => (of === way ? 2 * axis - each : each);
      return 2 * cells.filter(({ kind, at: [x, y] }) => lies(kind, image(x, 0), image(y, 1))).length > cells.length;
    });
  });
  return found[0] === undefined || found[1] === undefined ? null : [found[0], found[1]];
}

/**
 * The images of a stroke, each in the order of the stroke and without the sites of the stroke itself.
 * @param {Board} board @param {string[]} sites @param {keyof typeof MIRRORS} how
 * @param {number[] | null} [middle] where the axes are
 */
export function imagesOf(board, sites, how, middle = centre(board)) {
  const lies = finder(board), own = new Set(sites);
  if (!middle) return [];
  const images = MIRRORS[how].map((by) => sites.flatMap((id) => {
    const [x, y] = board.middle(id).map((each, at) => middle[at] + by[at] * (each - middle[at]));
    const found = lies(board.sites.get(id)?.kind ?? "", x, y);
    return found && !own.has(found) ? [found] : [];
  }));
  return images.filter((each) => each.length);
}

/**
 * A region with its first place at a site, and how many of its places lie outside of the board.
 * @param {Board} board @param {Clip} clip @param {string} site
 */
export function shifted(board, clip, site) {
  const [x, y] = board.middle(site), lies = finder(board);
  /** @type {Map<string, string[]>} */ const places = new Map();
  let outside = 0;
  for (const { at, kind, marks } of clip.places) {
    const found = lies(kind, x + at[0], y + at[1]);
    if (found) places.set(found, marks);
    else outside += 1;
  }
  return { places, outside };
}

/**
 * A region of cells as lines of cells with tabs between, as tables have it; other places as JSON.
 * @param {Clip} clip
 */
export function clipText(clip) {
  /** @type {Map<string, string>} */ const lies = new Map();
  for (const { at, kind, marks } of clip.places) {
    if (kind !== "cell" || at.some((each) => Math.abs(each - Math.round(each)) > NEAR)) return JSON.stringify(clip);
    lies.set(at.map((each) => Math.round(each)).join(), marks.join(" + ") || ".");
  }
  const all = [...lies.keys()].map((each) => each.split(",").map(Number));
  const [least, most] = [Math.min, Math.max].map((end) => [0, 1].map((at) => end(...all.map((each) => each[at]))));
  const range = (/** @type {number} */ at) =>
    Array.from({ length: most[at] - least[at] + 1 }, (_, number) => least[at] + number);
  return range(1)
    .map((y) =>
      range(0)
        .map((x) => lies.get(`${x},${y}`) ?? "")
        .join("\t"),
    )
    .join("\n");
}

/** Whether a part of a text from elsewhere is a place. @param {Partial<Place> | null} place */
function isPlace(place) {
  const isText = (/** @type {unknown} */ each) => typeof each === "string", { kind, marks, at } = place ?? {};
  return isText(kind) && Array.isArray(marks) && marks.every(isText)
    && Array.isArray(at) && at.length === 2 && at.every(Number.isFinite);
}

/**
 * The region that a text shows: names of marks between tabs, or one key of a mark for each cell; null if it shows none.
 * @param {string} text @param {Mark[]} marks @returns {Clip | null}
 */
export function read(text, marks) {
  const rows = text.replace(/\r/g, "").replace(/\n+$/, "").split("\n");
  if (text.startsWith('{"domain"')) {
    try {
      const clip = JSON.parse(text);
      return Array.isArray(clip.places) && clip.places.every(isPlace) ? clip : null;
    } catch {
      return null;
    }
  }
  /** @type {Map<string, string>} */ const named = new Map();
  for (const { name } of marks) named.set(name, name);
  for (const { name, title } of marks) named.set(title || name, name);
  /** @type {Map<string, string[]>} */ const keyed = new Map();
  for (const { key, name } of marks) if (key && name) keyed.set(key, [name]);
  if (!keyed.has(".")) keyed.set(".", []);
  const byName = (/** @type {string} */ cell) =>
    cell.trim() === "." ? [] : cell.split("+").map((each) => named.get(each.trim()));
  const places = [];
  for (const [y, row] of rows.entries()) {
    const isNamed = row.includes("\t") || byName(row).every((each) => each !== undefined);
    for (const [x, cell] of (isNamed ? row.split("\t") : [...row]).entries()) {
      if (cell.trim() === "") continue;
      const found = isNamed ? byName(cell) : (keyed.get(cell) ?? keyed.get(cell.toLowerCase()));
      const known = found?.filter((each) => each !== undefined);
      if (!found || known?.length !== found.length) return null;
      places.push({ at: [x, y], kind: "cell", marks: known.filter(Boolean) });
    }
  }
  return places.length ? { domain: "", places } : null;
}

/**
 * All places that hang together with one and hold the same.
 * @param {Board} board @param {Scene} scene @param {string} site
 */
export function grown(board, scene, site) {
  const told = (/** @type {string} */ id) => [...(scene.marks[id] ?? [])].sort().join("\n");
  const beside = neighbours(board, board.sites.get(site)?.kind ?? ""),
    found = new Set([site]);
  for (const id of found) for (const other of beside(id)) if (told(other) === told(site)) found.add(other);
  return [...found];
}

/**
 * What lies beside a site: cells by a common side, edges by a common end, vertices by an edge.
 * @param {Board} board @param {string} kind
 */
function neighbours(board, kind) {
  const name = (/** @type {number[]} */ point) => point.map((each) => each.toFixed(2)).join();
  /** @type {Map<string, string[]>} */ const shared = new Map();
  /** @type {Map<string, string[]>} */ const parts = new Map();
  const add = (/** @type {string} */ id, /** @type {string[]} */ keys) => {
    parts.set(id, keys);
    for (const key of keys) shared.set(key, [...(shared.get(key) ?? []), id]);
  };
  for (const [id, site] of board.sites) {
    const ends = site.points.map(name);
    if (site.kind === kind && kind === "cell")
      add(
        id,
        ends.map((end, at) =>
          [end, ends[(at + 1) % ends.length]].sort().join("|"),
        ),
      );
    if (site.kind === kind && kind === "edge") add(id, ends);
  }
  if (kind === "vertex") {
    const at = new Map(
      [...board.sites].filter(([, site]) => site.kind === kind).map(([id, site]) => [name(site.points[0]), id]),
    );
    const edges = [...board.sites.values()].filter((site) => site.kind === "edge");
    for (const id of at.values()) parts.set(id, []);
    for (const [number, edge] of edges.entries()) {
      const ends = edge.points.flatMap((point) => at.get(name(point)) ?? []);
      if (ends.length === edge.points.length) {
        shared.set(`${number}`, ends);
        for (const end of ends) parts.get(end)?.push(`${number}`);
      }
    }
  }
  return (/** @type {string} */ id) =>
    (parts.get(id) ?? []).flatMap((key) => shared.get(key) ?? []);
}
