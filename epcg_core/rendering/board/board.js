// The board: it draws scenes, and says what was touched. It knows sites, marks and paths, and no game.
// @ts-check

const NS = "http://www.w3.org/2000/svg";
const STEPS = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] };
const SNAP = 0.05;

/** Make an SVG element. @param {string} name @param {Record<string, any>} [attributes] @param {any[]} children */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== "") made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** @param {number[][]} points */
function middle(points) {
  const sum = points.reduce(([x, y], [u, v]) => [x + u, y + v], [0, 0]);
  return [sum[0] / points.length, sum[1] / points.length];
}

/** The shape of a site. @param {string} kind @param {number[][]} points @param {Record<string, any>} attributes */
function shape(kind, points, attributes, radius = 0.1) {
  if (kind === "edge") {
    const [[x1, y1], [x2, y2]] = points;
    return svg("line", { x1, y1, x2, y2, ...attributes });
  }
  if (kind === "vertex") return svg("circle", { cx: points[0][0], cy: points[0][1], r: radius, ...attributes });
  return svg("polygon", { points: points.map((point) => point.join(",")).join(" "), ...attributes });
}

/** How a mark looks on a site, or in the palette. @param {any} mark @param {string} kind @param {number[][]} points */
export function drawMark(mark, kind, points, palette = false) {
  const [x, y] = middle(points);
  const parts = [];
  if (mark.picture?.length) {
    const lies = `translate(${x} ${y})`;
    return svg("g", {}, ...mark.picture.map((/** @type {string[]} */ [fill, d]) => svg("path", { d, fill, transform: lies })));
  }
  if (mark.fills ? !(palette && mark.outline) : !mark.glyph && !mark.outline) {
    if (kind === "edge") parts.push(shape(kind, points, { stroke: mark.colour || "#888", "stroke-width": 0.16, "stroke-linecap": "round" }));
    else parts.push(shape(kind, points, { fill: mark.colour || "#888" }, 0.16));
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

export class EpcgBoard extends HTMLElement {
  constructor() {
    super();
    /** @type {any} */ this.scene = null;
    /** @type {Map<string, any>} */ this.marks = new Map();
    /** @type {Map<string, {kind: string, points: number[][], title: string, element: any}>} */ this.sites = new Map();
    this.here = "";
    /** @type {string[] | null} */ this.stroke = null;
    /** @type {string[]} */ this.touched = [];
    this.locked = new Set();
    this.left = new Set();
    /** @type {Map<string, {colour: string, label: string, title: string}>} */ this.heat = new Map();
  }

  connectedCallback() {
    if (this.dataset.ready) return;
    this.dataset.ready = "1";
    this.addEventListener("pointerdown", (event) => this.#down(event));
    this.addEventListener("pointermove", (event) => this.#move(event));
    this.addEventListener("pointerup", (event) => this.#up(event));
    this.addEventListener("pointercancel", () => this.#end(false));
    this.addEventListener("pointerleave", () => this.#say("hover", { site: "" }));
    this.addEventListener("contextmenu", (event) => event.preventDefault());
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focus", () => this.#mark());
    this.addEventListener("blur", () => this.#mark());
  }

  /** Draw a scene with the marks of a palette. @param {any} scene @param {any[]} palette */
  show(scene, palette) {
    this.scene = scene;
    this.marks = new Map(palette.map((mark) => [mark.name, mark]));
    this.touched = [];
    this.sites = new Map();
    const xs = [], ys = [];
    for (const [, , points] of scene.sites) for (const [x, y] of points) { xs.push(x); ys.push(y); }
    for (const path of scene.paths) for (const [x, y] of path.points) { xs.push(x); ys.push(y); }
    const [left, top] = [Math.min(...xs) - 0.3, Math.min(...ys) - 0.3];
    const [width, height] = [Math.max(...xs) + 0.3 - left, Math.max(...ys) + 0.3 - top];
    const floor = svg("g"), marks = svg("g", { class: "marks" }), hits = svg("g"), order = { cell: 0, edge: 1, vertex: 2 };
    const sorted = [...scene.sites].sort((a, b) => order[a[1]] - order[b[1]]);
    for (const [id, kind, points, title] of sorted) {
      floor.append(shape(kind, points, { class: kind }, 0.06));
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
    const picture = svg("svg", { viewBox: `${left} ${top} ${width} ${height}`, role: "img", "aria-label": this.describe() }, floor, marks, paths, this.overlay, hits, this.cursor);
    picture.style.aspectRatio = `${width} / ${height}`;
    this.replaceChildren(picture);
    if (!this.sites.has(this.here)) this.here = scene.sites.length ? scene.sites[0][0] : "";
    this.#drawHeat();
    this.#mark();
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
    const names = this.scene?.marks[id] ?? [];
    return `${this.title_(id)}: ${names.map((name) => this.marks.get(name)?.title || name).join(", ") || "empty"}`;
  }

  /** Colour sites. @param {Map<string, {colour: string, label: string, title: string}>} heat */
  colour(heat) { this.heat = heat; this.#drawHeat(); }

  /** @param {Set<string>} locked */
  lock(locked) { this.locked = locked; this.#mark(); }

  /** Show which sites are open. @param {Set<string>} left */
  leaveOpen(left) { this.left = left; this.#mark(); }

  /** Show what was touched. @param {string[]} sites */
  touch(sites) { this.touched = sites; this.#mark(); }

  #drawHeat() {
    if (!this.overlay) return;
    this.overlay.replaceChildren();
    for (const [id, { colour, label }] of this.heat) {
      const site = this.sites.get(id);
      if (!site) continue;
      const [x, y] = middle(site.points);
      if (colour) this.overlay.append(shape(site.kind, site.points, site.kind === "edge" ? { stroke: colour, "stroke-width": 0.2, "stroke-opacity": 0.75 } : { fill: colour, "fill-opacity": 0.6 }, 0.2));
      if (!label) continue;
      const size = site.kind === "cell" ? Math.min(0.34, 0.9 / label.length) : Math.min(0.2, 0.6 / label.length);
      const text = svg("text", { x, y, "font-size": size });
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
      const text = svg("text", { x: x + 0.3, y: y - 0.3, class: "locked" });
      text.textContent = "🔒";
      this.cursor.append(text);
    }
    for (const id of this.left) {
      const open = this.sites.get(id);
      if (open) this.cursor.append(shape(open.kind, open.points, { class: "open" }, 0.2));
    }
    const site = this.sites.get(this.here);
    if (site && document.activeElement === this) this.cursor.append(shape(site.kind, site.points, { class: "here" }, 0.2));
    for (const { element } of this.sites.values()) element.classList.remove("touched");
    for (const id of this.stroke ?? this.touched) this.sites.get(id)?.element.classList.add("touched");
  }

  /** @param {PointerEvent} event */
  #site(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY);
    return found instanceof Element && this.contains(found) ? found.getAttribute("data-site") : null;
  }

  #down(event) {
    const id = this.#site(event);
    if (!id) return;
    event.preventDefault();
    this.focus({ preventScroll: true });
    this.stroke = [id];
    this.button = event.button;
    this.here = id;
    try { this.setPointerCapture(event.pointerId); } catch { /* a pointer that has gone */ }
    this.#mark();
  }

  #move(event) {
    const id = this.#site(event);
    if (!this.stroke) { if (id !== this.hovered) { this.hovered = id; this.#say("hover", { site: id ?? "" }); } return; }
    if (id && this.stroke.at(-1) !== id) { this.stroke.push(id); this.here = id; this.#mark(); }
  }

  #up(event) { if (this.stroke) { event.preventDefault(); this.#end(true); } }

  #end(done) {
    const sites = this.stroke ?? [];
    this.stroke = null;
    this.#mark();
    if (done && sites.length) this.#say("stroke", { sites, erase: this.button === 2 });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) {
      event.preventDefault();
      if (this.#say("arrow", { key: event.key, site: this.here })) this.go(event.key);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#say("stroke", { sites: [this.here], erase: false });
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      this.#say("stroke", { sites: [this.here], erase: true });
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

  /** @param {string} key */
  go(key) {
    const best = this.nearest(this.here, key);
    if (best) { this.here = best; this.#mark(); this.#say("cursor", { site: best, words: this.words(best) }); }
  }

  #say(name, detail) { return this.dispatchEvent(new CustomEvent(`board-${name}`, { detail, cancelable: true })); }

  /** The picture as a document of its own. */
  picture() {
    const copy = this.querySelector("svg").cloneNode(true);
    const own = this.querySelectorAll("svg *"), made = copy.querySelectorAll("*");
    own.forEach((element, number) => {
      const style = getComputedStyle(element);
      for (const key of ["fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "font-size", "text-anchor", "dominant-baseline", "font-weight"])
        made[number].style.setProperty(key, style.getPropertyValue(key));
    });
    const [, , width, height] = copy.getAttribute("viewBox").split(" ").map(Number);
    copy.setAttribute("xmlns", NS);
    copy.setAttribute("width", String(48 * width));
    copy.setAttribute("height", String(48 * height));
    copy.querySelectorAll(".hit, .here, .open").forEach((element) => element.remove());
    return { text: new XMLSerializer().serializeToString(copy), width: 48 * width, height: 48 * height };
  }
}

/** @param {any} path */
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
