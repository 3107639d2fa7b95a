// The board: it draws scenes, and says what was touched. It knows sites, marks and paths, and no game.
// @ts-check

const NS = "http://www.w3.org/2000/svg";
/** @type {Record<string, Point>} */
const STEPS = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] };
const LOCK = "M-.11-.02h.22v.17h-.22zM-.08-.02v-.05a.08.08 0 0 1 .16 0v.05h-.04v-.05a.04.04 0 0 0-.08 0v.05z";
const SNAP = 0.05, MARGIN = 0.3, RULER = 0.45;
const PAINTED = ["fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "font-size", "text-anchor", "dominant-baseline", "font-weight"];
/** @typedef {{kind: string, points: Point[], title: string, element: SVGElement}} Place a site as it is drawn */
/** @typedef {{colour: string, label: string, title: string, look?: string}} Tile how a site is coloured */
/** @typedef {{sites: string[], fits: boolean}} Cast the sites that a mark would cover */

/**
 * Make an SVG element.
 * @template {keyof SVGElementTagNameMap} K @param {K} name @param {Record<string, unknown>} [attributes]
 * @param {Child[]} children
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== "") made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** @param {Point[]} points @returns {Point} */
function middle(points) {
  const sum = points.reduce(([x, y], [u, v]) => [x + u, y + v], [0, 0]);
  return [sum[0] / points.length, sum[1] / points.length];
}

/** The shape of a site. @param {string} kind @param {Point[]} points @param {Record<string, unknown>} attributes */
function shape(kind, points, attributes, radius = 0.1) {
  if (kind === "edge") {
    const [[x1, y1], [x2, y2]] = points;
    return svg("line", { x1, y1, x2, y2, ...attributes });
  }
  if (kind === "vertex") return svg("circle", { cx: points[0][0], cy: points[0][1], r: radius, ...attributes });
  return svg("polygon", { points: points.map((point) => point.join(",")).join(" "), ...attributes });
}

/**
 * The border of cells, as the data of a path; edges and vertices alone have none.
 * @param {number[][][]} cells the corners of each
 */
function border(cells) {
  const sides = new Map(), name = (/** @type {Point} */ point) => point.map((each) => each.toFixed(3)).join(" ");
  for (const points of cells) {
    points.forEach((from, number) => {
      const ends = [name(from), name(points[(number + 1) % points.length])];
      const key = [...ends].sort().join("|");
      if (sides.has(key)) sides.delete(key); else sides.set(key, ends);
    });
  }
  return [...sides.values()].map(([from, to]) => `M${from} L${to}`).join(" ");
}

/** Lines from the lower left to the upper right of a convex shape, as the data of a path. @param {number[][]} points */
function hatch(points) {
  const sums = points.map(([x, y]) => x + y), [least, most] = [Math.min(...sums), Math.max(...sums)];
  const lines = [];
  for (let level = least + 0.1; level < most; level += 0.2) {
    const ends = points.flatMap((from, number) => {
      const to = points[(number + 1) % points.length], [a, b] = [from[0] + from[1], to[0] + to[1]];
      if ((a < level) === (b < level)) return [];
      const share = (level - a) / (b - a);
      return [[from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]];
    });
    if (ends.length === 2) lines.push(`M${ends[0].join(" ")} L${ends[1].join(" ")}`);
  }
  return lines.join(" ");
}

/** How a mark looks on a site, or in the palette. @param {DrawnMark} mark @param {string} kind @param {Point[]} points */
export function drawMark(mark, kind, points, palette = false) {
  if (palette && mark.tile) return drawMark({ ...mark, picture: mark.tile, tile: undefined }, kind, points, palette);
  const [x, y] = middle(points), colour = (kind === "cell" ? "" : mark.lines) || mark.colour || "#888";
  const parts = [];
  if (mark.picture?.length) {
    const lies = `translate(${x} ${y})`, isPixels = mark.picture.every(([, d]) => /^[Mhvz\d .-]*$/.test(d));
    return svg("g", { "shape-rendering": isPixels ? "crispEdges" : "" }, ...mark.picture.map(([fill, d]) => svg("path", { d, fill, transform: lies })));
  }
  if (mark.fills ? !(palette && mark.outline) : !mark.glyph && !mark.outline) {
    if (kind === "edge") parts.push(shape(kind, points, { stroke: colour, "stroke-width": 0.16, "stroke-linecap": "round" }));
    else parts.push(shape(kind, points, { fill: colour }, mark.lines ? 0.08 : 0.16));
  }
  if (mark.outline && (palette || !mark.fills)) parts.push(svg("path", { d: mark.outline, fill: mark.colour || "#888", transform: `translate(${x} ${y})` }));
  if (mark.glyph) {
    const text = svg("text", { x, y, "font-size": mark.glyph.length > 1 ? 0.5 : 0.8 });
    if (mark.colour && !mark.fills) text.style.fill = mark.colour;
    text.textContent = mark.glyph;
    parts.push(text);
  }
  return svg("g", {}, ...parts);
}

/** Points drawn a little toward the middle. @param {Point[]} points @param {Point} centre */
const inset = (points, centre) => points.map((point) => point.map((each, at) => centre[at] + 0.76 * (each - centre[at])));
/** @type {Scene} */
const NOTHING = { sites: [], marks: {}, paths: [], note: "" };
const SQUARE = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];

export class EpcgBoard extends HTMLElement {
  constructor() {
    super();
    this.scene = NOTHING;
    /** @type {Map<string, DrawnMark>} */ this.marks = new Map();
    /** @type {Map<string, Place>} */ this.sites = new Map();
    this.here = "";
    /** Whether the cursor is shown while the board has the focus. */ this.points = true;
    /** @type {string[] | null} */ this.stroke = null;
    /** @type {string[]} */ this.touched = [];
    /** @type {Set<string>} */ this.locked = new Set();
    /** @type {Set<string> | Map<string, string[]>} */ this.left = new Set();
    /** @type {Map<string, Tile>} */ this.heat = new Map();
    /** The sites that are selected; whether they can be dragged elsewhere. @type {Set<string>} */ this.chosen = new Set();
    this.movable = false;
    /** Whether strokes with Shift are areas, and whether all of them are. */ this.areas = false; this.isArea = false;
    /** What is drawn below the pointer, and whether there are numbers around the board. @type {Mark | null} */ this.ghost = null;
    this.coordinates = false;
    /** What the ghost would cover, by the site below the pointer. @type {Map<string, Cast>} */ this.casts = new Map();
    this.hovered = ""; this.from = ""; this.moving = ""; this.anchor = "";
    /** The box of what lies on the board: left, top, width, height. */ this.bare = [0, 0, 1, 1];
    /** The keys that are held while a stroke is made, and the button. */ this.held = { shift: false, alt: false };
    this.button = 0;
    /** @type {SVGElement | null} */ this.overlay = null;
    /** @type {SVGElement | null} */ this.cursor = null;
    /** @type {SVGElement | null} */ this.below = null;
  }

  connectedCallback() {
    if (this.dataset.ready) return;
    this.dataset.ready = "1";
    this.addEventListener("pointerdown", (event) => this.#down(event));
    this.addEventListener("pointermove", (event) => this.#move(event));
    this.addEventListener("pointerup", (event) => this.#up(event));
    this.addEventListener("pointercancel", () => this.#end(false));
    // A stroke is not a flick, after which browsers leave out the next tap.
    this.addEventListener("touchmove", (event) => { if (this.stroke && event.cancelable) event.preventDefault(); }, { passive: false });
    this.addEventListener("pointerleave", () => { this.hovered = ""; this.#under(); this.#say("hover", { site: "" }); });
    this.addEventListener("contextmenu", (event) => event.preventDefault());
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focus", () => this.#mark());
    this.addEventListener("blur", () => this.#mark());
  }

  /** Draw a scene with the marks of a palette. @param {Scene} scene @param {DrawnMark[]} palette */
  show(scene, palette) {
    this.scene = scene;
    this.marks = new Map(palette.map((mark) => [mark.name, mark]));
    this.touched = [];
    this.sites = new Map();
    /** @type {number[]} */ const xs = [];
    /** @type {number[]} */ const ys = [];
    for (const [, , points] of scene.sites) for (const [x, y] of points) { xs.push(x); ys.push(y); }
    for (const path of scene.paths) for (const [x, y] of path.points) { xs.push(x); ys.push(y); }
    const [least, most] = [Math.min, Math.max].map((end) => [xs, ys].map((all) => all.reduce((a, b) => end(a, b), all[0] ?? 0)));
    this.bare = [least[0] - MARGIN, least[1] - MARGIN, most[0] - least[0] + 2 * MARGIN, most[1] - least[1] + 2 * MARGIN];
    const ruler = this.coordinates ? this.#ruler(scene.sites) : [];
    const [left, top, width, height] = this.bare.map((each, at) => each + (ruler.length ? (at < 2 ? -RULER : RULER) : 0));
    const floor = svg("g"), marks = svg("g", { class: "marks" }), hits = svg("g"), order = ["cell", "edge", "vertex"];
    const ground = this.marks.get("");
    const sorted = [...scene.sites].sort((a, b) => order.indexOf(a[1]) - order.indexOf(b[1]));
    // The ground of a kind of sites covers the outlines of all of them: games have no lines between their cells.
    const layers = new Map(order.map((kind) => [kind, [svg("g"), svg("g")]]));
    floor.append(...[...layers.values()].flat());
    for (const [id, kind, points, title] of sorted) {
      const [outlines, grounds] = layers.get(kind) ?? [floor, floor];
      outlines.append(shape(kind, points, { class: kind }, 0.06));
      if (ground?.kinds?.includes(kind)) grounds.append(drawMark(ground, kind, points));
      const element = shape(kind, points, { class: `hit ${kind}`, "data-site": id }, 0.2);
      this.sites.set(id, { kind, points, title, element });
      hits.append(element);
    }
    for (const [id] of scene.sites) {
      const site = this.sites.get(id);
      for (const name of scene.marks[id] ?? []) {
        const mark = this.marks.get(name);
        if (mark && site) marks.append(drawMark(mark, site.kind, site.points));
      }
    }
    const paths = svg("g", { class: "paths" }, ...scene.paths.map((path) => drawPath(path)));
    this.overlay = svg("g", { class: "heat" });
    this.cursor = svg("g");
    this.below = svg("g", { class: "below" });
    const over = svg("g", { class: "over" }, ...ruler, this.overlay, hits, this.cursor, this.below);
    const picture = svg("svg", { viewBox: `${left} ${top} ${width} ${height}`, role: "img", "aria-label": this.describe() }, floor, marks, paths, over);
    picture.style.aspectRatio = `${width} / ${height}`;
    this.replaceChildren(picture);
    if (!this.sites.has(this.here)) this.here = scene.sites.length ? scene.sites[0][0] : "";
    this.#drawHeat();
    this.#mark();
    this.#under();
  }

  /** The numbers of columns and rows, if the sites have them. @param {Site[]} sites */
  #ruler(sites) {
    const cells = sites.filter(([id]) => /^c\d+,\d+$/.test(id)), /** @type {Map<string, [x: number, y: number, number: string]>} */ found = new Map();
    for (const [id, , points] of cells) {
      const [x, y] = middle(points), [column, row] = id.slice(1).split(",");
      found.set(`column ${column}`, [x, this.bare[1] + MARGIN - 0.32, column]);
      found.set(`row ${row}`, [this.bare[0] + MARGIN - 0.36, y, row]);
    }
    const every = this.bare[2] > 40 ? 10 : this.bare[2] > 24 ? 5 : 1, size = every === 1 ? 0.24 : 0.5;
    const shown = [...found.values()].filter(([, , number]) => Number(number) % every === 0);
    return shown.map(([x, y, number]) => {
      const text = svg("text", { x, y, class: "ruler", "font-size": size });
      text.textContent = number;
      return text;
    });
  }

  /** What lies where, for readers of screens. */
  describe() {
    const found = Object.entries(this.scene.marks).filter(([, names]) => names.length);
    const words = found.slice(0, 200).map(([id, names]) => `${this.title_(id)}: ${names.map((name) => this.marks.get(name)?.title || name).join(", ")}`);
    return [`board of ${this.scene.sites.length} places`, ...words].join("; ");
  }

  /** @param {string} id */
  title_(id) { return this.sites.get(id)?.title || id; }

  /** What lies on a site, in words. @param {string} id */
  words(id) {
    const names = this.scene.marks[id] ?? [];
    return `${this.title_(id)}: ${names.map((name) => this.marks.get(name)?.title || name).join(", ") || "empty"}`;
  }

  /** Colour sites. @param {Map<string, Tile>} heat */
  colour(heat) { this.heat = heat; this.#drawHeat(); }

  /** @param {Set<string>} locked */
  lock(locked) { this.locked = locked; this.#mark(); }

  /** Show which sites are open; of a map, with small pictures of the marks. @param {Set<string> | Map<string, string[]>} left */
  leaveOpen(left) { this.left = left; this.#mark(); }

  /** Show which sites are selected. @param {Iterable<string>} sites */
  choose(sites) { this.chosen = new Set(sites); if (!this.chosen.size) this.anchor = ""; this.#mark(); }

  /**
   * Show what a touch would put.
   * @param {Mark | null} ghost
   * @param {Map<string, Cast>} casts what it would cover, by the site below the pointer
   */
  shadow(ghost, casts = new Map()) { this.ghost = ghost; this.casts = casts; this.#under(); }

  /** The middle of a site. @param {string} id */
  middle(id) { return middle(this.sites.get(id)?.points ?? [[NaN, NaN]]); }

  /** The box around sites: left, top, width, height. @param {Iterable<string>} sites */
  around(sites) {
    const points = [...sites].flatMap((id) => this.sites.get(id)?.points ?? []);
    const [least, most] = [Math.min, Math.max].map((end) => [0, 1].map((at) => end(...points.map((point) => point[at]))));
    return [least[0] - 1, least[1] - 1, most[0] - least[0] + 2, most[1] - least[1] + 2];
  }

  /** Show only what lies around sites. @param {Iterable<string>} sites */
  crop(sites) {
    const [x, y, width, height] = this.around(sites), picture = this.querySelector("svg");
    const [left, top] = [Math.max(x, this.bare[0]), Math.max(y, this.bare[1])];
    const right = Math.min(x + width, this.bare[0] + this.bare[2]), bottom = Math.min(y + height, this.bare[1] + this.bare[3]);
    picture?.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
    if (picture) picture.style.aspectRatio = `${right - left} / ${bottom - top}`;
  }

  /** The sites in the rectangle around two, in their order. @param {string} from @param {string} to */
  between(from, to) {
    const points = [from, to].flatMap((id) => this.sites.get(id)?.points ?? []);
    const [least, most] = [Math.min, Math.max].map((end) => [0, 1].map((at) => end(...points.map((point) => point[at]))));
    return [...this.sites.keys()].filter((id) => this.middle(id).every((each, at) => each > least[at] - SNAP && each < most[at] + SNAP));
  }

  /** Show what was touched. @param {string[]} sites */
  touch(sites) { this.touched = sites; this.#mark(); }

  #drawHeat() {
    if (!this.overlay) return;
    this.overlay.replaceChildren();
    for (const [id, { colour, label, look }] of this.heat) {
      const site = this.sites.get(id);
      if (!site) continue;
      const [x, y] = middle(site.points);
      if (look) {
        const points = inset(site.points, [x, y]);
        this.overlay.append(shape(site.kind, points, { class: `tile on-${site.kind} ${look}` }, 0.2));
        if (look === "hatched" && site.kind === "cell") this.overlay.append(svg("path", { class: "hatch", d: hatch(points) }));
      }
      if (colour && !look) this.overlay.append(shape(site.kind, site.points, site.kind === "edge" ? { stroke: colour, "stroke-width": 0.2, "stroke-opacity": 0.75 } : { fill: colour, "fill-opacity": 0.6 }, 0.2));
      if (!label) continue;
      const size = site.kind === "cell" ? Math.min(0.34, 0.9 / label.length) : Math.min(0.2, 0.6 / label.length);
      const text = svg("text", { x, y, "font-size": size, class: look ?? "" });
      text.textContent = label;
      this.overlay.append(text);
    }
  }

  #mark() {
    if (!this.cursor) return;
    this.cursor.replaceChildren();
    for (const id of this.locked) {
      const site = this.sites.get(id);
      if (!site) continue;
      const [x, y] = middle(site.points);
      this.cursor.append(shape(site.kind, site.points, { class: `washed on-${site.kind}` }, 0.12));
      this.cursor.append(svg("path", { class: "locked", d: LOCK, transform: `translate(${x + 0.3} ${y - 0.3})` }));
    }
    for (const id of this.left.keys()) {
      const open = this.sites.get(id);
      if (open) this.cursor.append(...this.#open(open, this.left instanceof Map ? this.left.get(id) ?? [] : null));
    }
    if (this.chosen.size) this.cursor.append(...this.#outline(this.chosen));
    const site = this.sites.get(this.here);
    if (site && this.points && document.activeElement === this) this.cursor.append(shape(site.kind, site.points, { class: "here" }, 0.2));
    for (const { element } of this.sites.values()) element.classList.remove("touched");
    for (const id of this.stroke ?? this.touched) this.sites.get(id)?.element.classList.add("touched");
  }

  /** An open site: what may lie there, small. @param {Place} site @param {string[] | null} names */
  #open(site, names) {
    const frame = shape(site.kind, site.points, { class: names ? "open empty" : "open" }, 0.2);
    if (!names || site.kind !== "cell") return [frame];
    const [x, y] = middle(site.points), many = Math.ceil(Math.sqrt(names.length)), step = 0.84 / Math.max(2, many);
    const marks = names.map((name) => this.marks.get(name)), rows = Math.ceil(names.length / many);
    return [frame, ...marks.map((mark, number) => {
      const column = number % many - (many - 1) / 2, row = Math.floor(number / many) - (rows - 1) / 2;
      const lies = `translate(${x + column * step} ${y + row * step}) scale(${step * 0.85})`;
      return svg("g", { transform: lies }, mark ? drawMark(mark, "cell", SQUARE, true) : svg("circle", { r: 0.16, class: "nothing" }));
    })];
  }

  /** Outline sites, moved if wished. @param {Iterable<string>} sites @param {number[]} [by] */
  #outline(sites, by = [0, 0]) {
    const all = [...sites].map((id) => this.sites.get(id)).filter((site) => site !== undefined), cells = all.filter((site) => site.kind === "cell");
    const lies = `translate(${by.join(" ")})`;
    if (!cells.length) return all.map((site) => shape(site.kind, site.points, { class: "chosen", transform: lies }, 0.25));
    const d = border(cells.map((site) => site.points));
    return ["halo", "chosen"].map((name) => svg("path", { class: name, transform: lies, d }));
  }

  /** Draw what is below the pointer: what a touch would put, or where the selection is dragged. */
  #under() {
    if (!this.below) return;
    this.below.replaceChildren();
    if (this.moving && this.hovered) {
      const [from, to] = [this.moving, this.hovered].map((id) => this.middle(id));
      return this.below.append(...this.#outline(this.chosen, [to[0] - from[0], to[1] - from[1]]));
    }
    const site = this.sites.get(this.hovered);
    if (!this.ghost || !site || this.stroke) return undefined;
    if (this.casts.size) return this.below.append(...this.#cast(this.hovered));
    if (this.ghost.name && this.ghost.kinds.includes(site.kind)) this.below.append(svg("g", { class: "ghost-mark" }, drawMark(this.ghost, site.kind, site.points)));
    return this.below.append(...["halo", "ring"].map((name) => shape(site.kind, site.points, { class: name }, 0.2)));
  }

  /** The shape of the ghost at a site, whether it fits there or not; over the edge too. @param {string} id */
  #cast(id) {
    const [x, y] = this.middle(id), own = this.casts.get(id), corners = this.#corners(id);
    const alike = [...this.casts].filter(([other]) => this.#corners(other) === corners);
    const same = own ? id : (alike.find(([other, { sites }]) => sites[0] === other) ?? alike[0])?.[0];
    if (!same) return [];
    const [u, v] = this.middle(same), transform = `translate(${x - u} ${y - v})`;
    const cells = (this.casts.get(same)?.sites ?? []).map((site) => this.sites.get(site)?.points ?? []);
    const filled = cells.map((points) => shape("cell", points, { class: "ghost-mark", fill: this.ghost?.colour || "#888", transform }));
    return [...filled, ...["halo", own?.fits ? "fits" : "misfits"].map((name) => svg("path", { class: name, d: border(cells), transform }))];
  }

  /** The corners of a site as seen from its middle, as a text. @param {string} id */
  #corners(id) {
    const [x, y] = this.middle(id);
    return (this.sites.get(id)?.points ?? []).map(([u, v]) => `${(u - x).toFixed(2)},${(v - y).toFixed(2)}`).sort().join(" ");
  }

  /** @param {PointerEvent} event */
  #site(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY);
    return found instanceof Element && this.contains(found) ? found.getAttribute("data-site") : null;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const id = this.#site(event);
    if (!id) return;
    event.preventDefault();
    this.focus({ preventScroll: true });
    this.stroke = [id];
    this.from = this.areas && (this.isArea || event.shiftKey) ? id : "";
    this.moving = this.movable && this.chosen.has(id) && !event.shiftKey ? id : "";
    this.held = { shift: event.shiftKey, alt: event.altKey };
    this.button = event.button;
    this.here = id;
    try { this.setPointerCapture(event.pointerId); } catch { /* a pointer that has gone */ }
    this.#mark();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const id = this.#site(event) ?? "", isOther = id !== this.hovered;
    this.hovered = id;
    if (isOther) this.#under();
    if (isOther && !this.stroke) this.#say("hover", { site: id });
    if (!this.stroke || !id || this.moving) return;
    if (this.from) {
      if (isOther) { this.stroke = this.between(this.from, id); this.here = id; this.#mark(); }
      return;
    }
    const passed = event.getCoalescedEvents?.().map((each) => this.#site(each)) ?? [];
    const before = this.stroke.length;
    for (const each of [...passed, id]) if (each && this.stroke.at(-1) !== each) this.stroke.push(each);
    if (this.stroke.length > before) { this.here = id; this.#mark(); }
  }

  /** @param {PointerEvent} event */
  #up(event) { if (this.stroke) { event.preventDefault(); this.#end(true); } }

  /** Forget the stroke that is under way. */
  drop() { this.#end(false); }

  /** @param {boolean} done */
  #end(done) {
    const sites = this.stroke ?? [], { moving, hovered } = this, isArea = Boolean(this.from);
    this.stroke = null;
    this.from = this.moving = "";
    this.#mark();
    this.#under();
    if (!done || !sites.length) return;
    if (moving && hovered) { this.#say("move", { from: moving, to: hovered }); return; }
    this.#say("stroke", { sites, erase: this.button === 2, isArea, ...this.held });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const touched = this.areas && this.chosen.size ? [...this.chosen] : [this.here];
    if (event.key in STEPS && event.shiftKey && this.areas) {
      event.preventDefault();
      this.anchor = this.anchor || this.here;
      this.go(event.key);
      this.choose(this.between(this.anchor, this.here));
      this.#say("region", { sites: [...this.chosen] });
    } else if (event.key in STEPS) {
      event.preventDefault();
      this.anchor = "";
      if (this.#say("arrow", { key: event.key, site: this.here })) this.go(event.key);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#say("stroke", { sites: touched, erase: false, byKey: true });
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      this.#say("stroke", { sites: touched, erase: true, byKey: true });
    } else this.#say("letter", { key: event.key, site: this.here });
  }

  /** The nearest site in the direction of an arrow key; "" at the rim. @param {string} id @param {string} key */
  nearest(id, key) {
    const from = this.sites.get(id), [dx, dy] = STEPS[key];
    if (!from) return "";
    const [x, y] = middle(from.points);
    let best = "", least = Infinity;
    for (const [other, { points }] of this.sites) {
      const [u, v] = middle(points);
      const ahead = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      const far = ahead + 3 * aside;
      if (ahead >= SNAP && far < least) { least = far; best = other; }
    }
    return best;
  }

  /** Show the cursor while the board has the focus, or hide it. @param {boolean} points */
  point(points) {
    if (this.points === points) return;
    this.points = points;
    this.#mark();
  }

  /** @param {string} key */
  go(key) {
    this.point(true);
    const best = this.nearest(this.here, key);
    if (best) { this.here = best; this.#mark(); this.#say("cursor", { site: best, words: this.words(best) }); }
  }

  /** Tell listeners; whether none of them objects. @param {string} name @param {unknown} detail */
  #say(name, detail) { return this.dispatchEvent(new CustomEvent(`board-${name}`, { detail, cancelable: true })); }

  /** The picture as a document of its own: what lies there, without what the page shows over it. */
  picture() {
    const shown = this.querySelector("svg"), copy = shown?.cloneNode(true);
    if (!shown || !(copy instanceof SVGSVGElement)) throw new Error("The board shows nothing yet.");
    /** @type {NodeListOf<SVGElement>} */ const own = shown.querySelectorAll("*");
    /** @type {NodeListOf<SVGElement>} */ const made = copy.querySelectorAll("*");
    copy.setAttribute("viewBox", this.bare.join(" "));
    own.forEach((element, number) => {
      const style = getComputedStyle(element);
      for (const key of PAINTED)
        made[number].style.setProperty(key, style.getPropertyValue(key));
    });
    const [, , width, height] = this.bare;
    copy.setAttribute("xmlns", NS);
    copy.setAttribute("width", String(48 * width));
    copy.setAttribute("height", String(48 * height));
    copy.querySelector(".over")?.remove();
    return { text: new XMLSerializer().serializeToString(copy), width: 48 * width, height: 48 * height };
  }
}

/** @param {Line} path */
function drawPath(path) {
  const data = path.points.map(([x, y], number) => `${number ? "L" : "M"}${x} ${y}`).join(" ") + (path.closed ? " Z" : "");
  const parts = [svg("path", { d: data, fill: path.closed && path.fill ? path.fill : "none", "fill-opacity": path.closed ? 0.85 : undefined, stroke: path.colour, "stroke-width": path.width, "stroke-linecap": "round", "stroke-linejoin": "round" })];
  if (path.head) {
    const [x, y] = path.points[0];
    parts.push(svg("circle", { cx: x, cy: y, r: path.width * 0.62, fill: path.colour }), svg("circle", { cx: x, cy: y, r: path.width * 0.22, fill: "#fff" }));
  }
  const group = svg("g", {}, ...parts);
  if (path.title) { const title = svg("title"); title.textContent = path.title; group.append(title); }
  return group;
}

if (!customElements.get("epcg-board")) customElements.define("epcg-board", EpcgBoard);
