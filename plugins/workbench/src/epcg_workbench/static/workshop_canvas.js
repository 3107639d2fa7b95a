// A canvas of a game that is drawn: cells that are painted by a pointer, a thumb or keys, one change for each stroke.
// @ts-check
import { trouble } from "./base.js";
import { svg } from "./board.js";
import { axesOf, imagesOf } from "./regions.js";

const NARROW = 760, AROUND = 1.7, FREE = 1, MARGIN = 0.15, EDGE = 0.09;

/** @param {number[][]} points */
const middle = (points) => [0, 1].map((at) => points.reduce((sum, each) => sum + each[at], 0) / points.length);
/** @param {number[]} point */
const key = (point) => point.map((each) => (Math.round(each * 1000) / 1000 + 0).toFixed(3)).join(" ");
/** The box around points: left, top, right, bottom. @param {number[][]} points @param {number} margin */
function box(points, margin) {
  const [xs, ys] = [0, 1].map((at) => points.map((point) => point[at]));
  return [Math.min(...xs) - margin, Math.min(...ys) - margin, Math.max(...xs) + margin, Math.max(...ys) + margin];
}

/** A canvas as a small picture: what is painted, with its outline. @param {Canvas} canvas */
export function small(canvas) {
  const colours = new Map(canvas.marks.map((mark) => [mark.name, mark.colour]));
  const cells = canvas.sites.filter(([id]) => id in canvas.painted);
  const corners = cells.flatMap(([, , points]) => points);
  if (!corners.length) return svg("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" });
  const [left, top, right, bottom] = box(corners, 0.12);
  const view = `${left} ${top} ${right - left} ${bottom - top}`;
  const shapes = cells.map(([id, , points]) =>
    svg("polygon", { points: points.join(" "), fill: colours.get(canvas.painted[id]) ?? "#888", class: "part-cell" }));
  return svg("svg", { viewBox: view, "aria-hidden": "true" }, ...shapes, ...edges(canvas, [0, 0], EDGE));
}

/** The lines around what is painted. @param {Canvas} canvas @param {number[]} offset @param {number} width */
function edges({ outline, marks, kind }, [dx, dy], width) {
  return outline.map(({ points }) => {
    const d = `M${points.map(([x, y]) => `${x + dx} ${y + dy}`).join("L")}Z`;
    const line = svg("path", { d, class: "part-edge", "stroke-width": width, fill: "none" });
    line.style.stroke = `color-mix(in srgb, ${marks[0].colour} ${kind === "piece" ? 64 : 40}%, #2a2018)`;
    return line;
  });
}

/** Hears of a stroke: the canvas, places in the view, and the mark. @typedef {(canvas: string, points: Point[],
 *   mark: string) => void} Painted */

/** A canvas that can be painted. */
export class CanvasView {
  /**
   * @param {import("./board.js").EpcgBoard} board @param {Painted} painted
   * @param {(words: string, isCursor: boolean) => void} said hears what is below the pointer or the cursor
   * @param {import("./mirror.js").MirrorButton} mirror says how strokes are mirrored
   */
  constructor(board, painted, said, mirror) {
    this.mirror = mirror;
    this.board = board;
    this.painted = painted;
    this.said = said;
    /** @type {Canvas | null} */ this.canvas = null;
    /** Where the origin of the canvas lies in the view, so that nothing moves while one paints. */
    this.offset = [0, 0];
    /** @type {number[] | null} */ this.view = null;
    /** The mark of each painted place, by where it lies in the view. @type {Map<string, string>} */
    this.lying = new Map();
    /** @type {Map<string, string>} */ this.byPlace = new Map();
    /** @type {Map<string, string>} */ this.places = new Map();
    this.mark = ""; this.tool = "pencil"; this.of = "";
    /** Whether the canvas has its size whatever is painted. */ this.isFixed = false;
    board.addEventListener("pointerdown", (event) => this.#brush(event), true);
    board.addEventListener("board-stroke", (event) => this.#stroke(event.detail));
    board.addEventListener("board-hover", ({ detail }) => said(this.words(detail.site), false));
    board.addEventListener("board-cursor", ({ detail }) => said(this.words(detail.site), true));
  }

  /** The place of a site in the view. @param {number[][]} points */
  #at(points) { return middle(points).map((each, at) => each + this.offset[at]); }

  /**
   * Show a canvas as it is told, and over it what is painted since.
   * @param {Canvas} canvas @param {{points: Point[], mark: string}[]} pending
   * @param {string} of the file that it is of
   */
  show(canvas, pending, of) {
    const name = `${of} ${canvas.id}`, isSame = this.of === name && this.canvas !== null;
    if (!isSame || canvas !== this.canvas) this.#place(canvas, isSame);
    this.canvas = canvas;
    this.of = name;
    const marks = new Set(canvas.marks.map((mark) => mark.name));
    if (!marks.has(this.mark)) this.mark = canvas.marks[0].name;
    this.lying = new Map();
    this.byPlace = new Map(canvas.sites.map(([id, , points]) => [key(this.#at(points)), id]));
    for (const [id, , points] of canvas.sites) {
      if (id in canvas.painted) this.lying.set(key(this.#at(points)), canvas.painted[id]);
    }
    for (const { points, mark } of pending) {
      for (const point of points) if (mark) this.lying.set(key(point), mark); else this.lying.delete(key(point));
    }
    const [dx, dy] = this.offset, here = this.board.here && this.places?.get(this.board.here);
    const moved = (/** @type {Point[]} */ points) => points.map(([x, y]) => [x + dx, y + dy]);
    /** @type {Site[]} */
    const sites = canvas.sites.map(([id, kind, points, title]) => [id, kind, moved(points), title]);
    const filled = [...this.byPlace].filter(([at]) => this.lying.has(at));
    const lies = Object.fromEntries(filled.map(([at, id]) => [id, [this.lying.get(at) ?? ""]]));
    this.places = new Map([...this.byPlace].map(([at, id]) => [id, at]));
    if (here) this.board.here = this.byPlace.get(here) ?? this.board.here;
    this.board.show({ sites, marks: lies, paths: [], note: "" }, canvas.marks);
    const picture = this.board.querySelector("svg"), [left, top, right, bottom] = this.view ?? [0, 0, 1, 1];
    picture?.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
    if (picture) picture.style.aspectRatio = `${right - left} / ${bottom - top}`;
    if (!pending.length) picture?.querySelector(".paths")?.append(...edges(canvas, this.offset, EDGE));
  }

  /** Lay a canvas where it lay before, as far as it is the same. @param {Canvas} canvas @param {boolean} isSame */
  #place(canvas, isSame) {
    const painted = canvas.sites.filter(([id]) => id in canvas.painted).map(([, , points]) => middle(points));
    const old = [...this.lying.keys()].map((each) => each.split(" ").map(Number));
    let best = [0, 0], most = 0;
    if (isSame && painted.length && old.length) {
      const known = this.canvas?.sites.find(([id]) => canvas.sites.some((each) => each[0] === id));
      const found = known && canvas.sites.find(([id]) => id === known[0]);
      const [a, b] = [box(old, 0), box(painted, 0)];
      const ways = [[a[0] - b[0], a[1] - b[1]], [a[2] - b[2], a[3] - b[3]]];
      if (known && found) ways.push(this.#at(known[2]).map((each, at) => each - middle(found[2])[at]));
      for (const way of ways) {
        const count = painted.filter(([x, y]) => this.lying.has(key([x + way[0], y + way[1]]))).length;
        if (count > most) { most = count; best = way; }
      }
    }
    const stays = 2 * most >= Math.max(painted.length, old.length) && most > 0;
    this.offset = stays ? best : [0, 0];
    const move = (/** @type {Point} */ [x, y]) => [x + this.offset[0], y + this.offset[1]];
    const all = canvas.sites.flatMap(([, , points]) => points.map(move));
    const near = innerWidth <= NARROW && painted.length ? box(painted.map(move), AROUND) : box(all, MARGIN);
    const before = stays ? this.view : null, own = painted.length ? box(painted.map(move), FREE) : near;
    const grown = (/** @type {number} */ each, /** @type {number} */ at) =>
      (at < 2 ? Math.min : Math.max)(each, before?.[at] ?? each);
    const isRoom = before && own.every((each, at) => grown(each, at) === before[at]);
    this.view = isRoom ? before : near.map(grown);
  }

  /** The sites of places in the view, as the canvas has them now. @param {number[][]} points @returns {string[]} */
  sitesAt(points) { return points.map((point) => this.byPlace?.get(key(point)) ?? "").filter(Boolean); }

  /** @param {string} site */
  #lies(site) { return this.lying.get(this.places?.get(site) ?? "") ?? ""; }

  /** What a press on a site puts there. @param {string} site */
  #meant(site) { return this.#lies(site) === this.mark ? "" : this.mark; }

  /** What lies on a site, and what a press does there. @param {string} site */
  words(site) {
    if (!this.board.sites.has(site)) return "";
    const { marks = [] } = this.canvas ?? {};
    const title = (/** @type {string} */ name) => marks.find((mark) => mark.name === name)?.title ?? name;
    const lies = this.#lies(site), isOff = !this.#meant(site);
    const does = isOff ? "press to take it away" : `press to make it ${title(this.mark)}`;
    return `${this.board.title_(site)}: ${lies ? title(lies) : "free"}; ${does}`;
  }

  /** Let the stroke that begins look like what it will paint. @param {PointerEvent} event */
  #brush(event) {
    const site = event.target instanceof Element ? event.target.getAttribute("data-site") ?? "" : "";
    const mark = event.button === 2 ? "" : this.#meant(site);
    const own = this.canvas?.marks.find((each) => each.name === mark);
    this.board.style.setProperty("--brush", own?.colour ?? "var(--paper)");
  }

  /** @param {Stroke} stroke */
  #stroke({ sites, erase }) {
    const { canvas } = this;
    if (!canvas) return;
    const isFill = this.tool === "fill", mark = erase ? "" : this.#meant(sites[0]);
    const reached = isFill ? this.#region(sites[0]) : [...new Set(sites)];
    if (!reached) return trouble(new Error("This region is open at the rim: close its border first."));
    const drawn = [...new Set([...reached, ...this.#images(reached)])];
    const changed = drawn.filter((site) => this.#lies(site) !== mark);
    const points = new Map(canvas.sites.map(([id, , corners]) => [id, corners]));
    if (changed.length) this.painted(canvas.id, changed.map((site) => this.#at(points.get(site) ?? [])), mark);
    if (sites.length) this.said(this.words(sites[sites.length - 1]), true);
  }

  /** Where a stroke is mirrored: in the middle of what is painted, or of a canvas that does not grow with it.
   * @param {string[]} sites */
  #images(sites) {
    if (this.mirror.how === "none") return [];
    const axes = axesOf(this.board, [...this.board.sites.keys()].filter((site) => !this.isFixed && this.#lies(site)));
    return axes ? imagesOf(this.board, sites, this.mirror.how, axes).flat() : [];
  }

  /** The sites around one that look like it; null if they reach the rim of the canvas. @param {string} from */
  #region(from) {
    /** @type {Map<string, string[]>} */ const sides = new Map();
    /** @type {Map<string, string[]>} */ const sidesOf = new Map();
    const looks = this.#lies(from);
    for (const [id, , points] of this.canvas?.sites ?? []) {
      const own = points.map((point, at) => [key(point), key(points[(at + 1) % points.length])].sort().join("|"));
      sidesOf.set(id, own);
      for (const side of own) sides.set(side, [...(sides.get(side) ?? []), id]);
    }
    const found = new Set([from]), front = [from];
    while (front.length) {
      for (const side of sidesOf.get(front.pop() ?? "") ?? []) {
        const around = sides.get(side) ?? [];
        if (around.length === 1 && !looks) return null;
        for (const other of around) {
          if (!found.has(other) && this.#lies(other) === looks) { found.add(other); front.push(other); }
        }
      }
    }
    return [...found];
  }
}
