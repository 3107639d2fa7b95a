// The palette: the marks of a content as pictures with names and keys; big ones are searched, recent marks first.
// @ts-check
import { $, all, beside, el, seek } from "./base.js";
import { drawMark, svg } from "./board.js";

const BIG = 24,
  MOST_RECENT = 8;
/** @type {Record<string, Point[]>} */
const POINTS = {
  cell: [
    [-0.5, -0.5],
    [0.5, -0.5],
    [0.5, 0.5],
    [-0.5, 0.5],
  ],
  edge: [
    [-0.4, 0],
    [0.4, 0],
  ],
  vertex: [[0, 0]],
};

/** What a mark looks like, on what lies below it. @param {Mark} mark @param {Mark} [ground] */
export function markPicture(mark, ground) {
  const kind = mark.kinds.includes("cell") ? "cell" : mark.kinds[0];
  const points = POINTS[kind];
  const below = ground?.kinds.includes(kind) && mark.name ? [drawMark(ground, kind, points, true)] : [];
  const about = { viewBox: "-0.6 -0.6 1.2 1.2", "aria-hidden": "true" };
  return svg("svg", about, ...below, drawMark(mark, kind, points, true));
}

/**
 * The mark that makes all that lies on a place: '' if it is empty; null if several together do.
 * @param {string[]} names what lies there @param {Mark[]} palette
 */
export function markOf(names, palette) {
  const is = (/** @type {string[]} */ others) =>
    names.length === others.length && names.every((name) => others.includes(name));
  const floor = palette.find((mark) => !mark.name)?.shows ?? [];
  if (is(floor)) return "";
  const own = names.filter((name) => !floor.includes(name));
  if (own.length === 1) return own[0];
  return palette.find((mark) => mark.name && mark.shows && is(mark.shows))?.name ?? null;
}

/** Whether a mark is that which alone lies on emptied places. @param {Mark} mark @param {Mark[]} palette */
const isFloor = ({ name }, palette) => Boolean(name) && markOf([name], palette) === "";

/** The marks that are offered with a name: not that of emptied places. @param {Mark[]} palette */
export const brushes = (palette) => palette.filter((mark) => mark.name && !isFloor(mark, palette));

/** Whether a place holds what a mark makes. @param {string[]} names @param {string} mark @param {Mark[]} palette */
export const holds = (names, mark, palette) =>
  mark && !palette.find(({ name }) => name === mark)?.shows ? names.includes(mark) : markOf(names, palette) === mark;

/** Whether nothing of a mark is seen on the board. @param {DrawnMark} mark */
export const isInvisible = (mark) =>
  !mark.picture?.length && !mark.outline && !mark.fills && (!mark.glyph || mark.glyph === "?");

export class Palette {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {string[]} Names of marks, the latest first. */ this.recent = [];
    this.sought = "";
    this.isUnfolded = false;
    $("palette").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
  }

  /** The marks of the content, with what nothing looks like. */
  get marks() {
    const { palette } = this.state.bench;
    const none = palette.find((mark) => !mark.name) ?? { name: "", title: "empty", kinds: ["cell", "edge", "vertex"] };
    return [none, ...palette.filter((mark) => mark.name)];
  }

  /** @param {string} name */
  mark(name) {
    return this.marks.find((mark) => mark.name === name);
  }

  /** The mark on top of what lies on a place, '' if it is empty. @param {string[]} names */
  top(names) {
    return markOf(names, this.state.bench.palette) ?? names.at(-1) ?? "";
  }

  /** The words for a mark. @param {string} name */
  title(name) {
    const mark = this.mark(name);
    return mark?.title || mark?.name || "empty";
  }

  /** A mark with all that it becomes when it is turned. @param {Mark} first */
  turnsOf(first) {
    const found = [first];
    for (;;) {
      const next = this.marks.find((mark) => mark.name && mark.name === found.at(-1)?.turned);
      if (!next || found.includes(next)) return found;
      found.push(next);
    }
  }

  /** Choose a mark. @param {string} name */
  choose(name) {
    const { bench } = this.state,
      mark = this.mark(name);
    if (mark?.name) {
      for (const each of this.turnsOf(mark)) bench.turned.delete(each.name);
      bench.turned.add(name);
    }
    bench.mark = name;
    this.show();
    this.state.panels.tools.follow();
  }

  /** Choose by a key; whether it means a mark. @param {string} key */
  key(key) {
    const own = this.marks.find((mark) => mark.name && mark.key && mark.key === key);
    const found = own ?? (this.#numbered() && /^[1-9]$/.test(key) ? this.#shown()[Number(key) - 1] : undefined);
    if (found) this.choose(isFloor(found, this.marks) ? "" : found.name);
    return Boolean(found);
  }

  /** Choose what the chosen mark becomes when it is turned. */
  turn() {
    const turned = this.mark(this.state.bench.mark)?.turned;
    if (turned) this.choose(turned);
  }

  /** Choose what the chosen mark becomes when it is turned over. */
  flip() {
    const flipped = this.mark(this.state.bench.mark)?.flipped;
    if (flipped) this.choose(flipped);
  }

  /** Remember a mark that was put. @param {string} name */
  used(name) {
    this.recent = [name, ...this.recent.filter((each) => each !== name)].slice(0, MOST_RECENT);
    if (this.#shown().length > BIG) this.show();
  }

  /** Begin with another content: no mark of it was used yet. */
  reset() {
    this.recent = [];
    this.sought = "";
    this.isUnfolded = false;
    this.show();
  }

  /** Marks as they are offered: of those that turn into each other, one; those that are seen first. */
  #shown() {
    const { mark: chosen, turned } = this.state.bench,
      /** @type {Set<string>} */ hidden = new Set(),
      /** @type {Mark[]} */ found = [];
    const all = this.marks;
    for (const first of all) {
      if (hidden.has(first.name) || isFloor(first, all)) continue;
      const turns = first.name ? this.turnsOf(first) : [first];
      for (const mark of turns) hidden.add(mark.name);
      found.push(turns.find((each) => each.name === chosen) ?? turns.find((each) => turned.has(each.name)) ?? first);
    }
    return found.sort(
      (one, other) =>
        Number(Boolean(one.name) && isInvisible(one)) - Number(Boolean(other.name) && isInvisible(other)),
    );
  }

  /** Whether digits choose marks by their place: not if they are keys of marks. */
  #numbered() {
    return !this.marks.some((mark) => /^[1-9]$/.test(mark.key ?? ""));
  }

  show() {
    const offered = this.#shown(),
      isBig = offered.length > BIG,
      focused = document.activeElement;
    const had =
      focused instanceof HTMLElement && $("palette").contains(focused) ? (focused.dataset.mark ?? "search") : null;
    const numbers = new Map(this.#numbered() ? offered.slice(0, 9).map((mark, at) => [mark.name, String(at + 1)]) : []);
    const tile = (/** @type {Mark} */ mark) => this.#tile(mark, numbers.get(mark.name) ?? "");
    const words = this.sought.toLowerCase().split(/\s+/);
    const isSought = (/** @type {Mark} */ { title, name }) =>
      words.every((word) => `${title} ${name}`.toLowerCase().includes(word));
    const fits = offered.filter(isSought);
    const seen = fits.filter((mark) => !mark.name || !isInvisible(mark)),
      unseen = fits.filter((mark) => mark.name && isInvisible(mark));
    /** @type {Child[]} */ const parts = [];
    if (isBig) parts.push(this.#search());
    const recent =
      isBig && !this.sought ? this.recent.flatMap((name) => seen.find((mark) => mark.name === name) ?? []) : [];
    if (recent.length) parts.push(this.#group("recent", recent.map(tile), true));
    /** @type {Map<string, Mark[]>} */ const groups = new Map();
    for (const mark of seen)
      if (!recent.includes(mark)) groups.set(mark.group ?? "", [...(groups.get(mark.group ?? "") ?? []), mark]);
    for (const [name, marks] of groups) parts.push(this.#group(name, marks.map(tile), isBig));
    if (unseen.length) {
      const folds = {
        id: "invisible",
        open: this.isUnfolded || unseen.some((mark) => mark.name === this.state.bench.mark),
      };
      const made = el(
        "details",
        folds,
        el("summary", {}, `${unseen.length} invisible`),
        this.#group("invisible", unseen.map(tile), false),
      );
      made.ontoggle = () => {
        this.isUnfolded = made.open;
      };
      parts.push(made);
    }
    $("palette").replaceChildren(...parts);
    $("palette").classList.toggle("big", isBig);
    if (had === "search") {
      const field = $("palette").querySelector("input");
      field?.focus();
      field?.setSelectionRange(field.value.length, field.value.length);
    } else if (had !== null) seek($("palette"), '[aria-checked="true"]')?.focus();
  }

  #search() {
    const about = {
      id: "palette-search",
      type: "search",
      placeholder: "Search",
      value: this.sought,
      "aria-label": "Search the palette",
    };
    const field = el("input", about);
    field.oninput = () => {
      this.sought = field.value;
      this.show();
    };
    return field;
  }

  /** @param {string} name @param {Child[]} tiles @param {boolean} told */
  #group(name, tiles, told) {
    const heading = told && name ? [el("span", { class: "heading", "aria-hidden": "true" }, name)] : [];
    return el("div", { class: "group", role: "group", "aria-label": name || undefined }, ...heading, ...tiles);
  }

  /** @param {Mark} mark @param {string} number */
  #tile(mark, number) {
    const isChosen = mark.name === this.state.bench.mark;
    const first =
      this.turnsOf(mark)
        .map((each) => each.key)
        .find(Boolean) ?? mark.key;
    const isTurned = mark.name && this.turnsOf(mark).length > 1, flips = mark.flipped ? ", F turns it over" : "";
    const turns = isTurned ? `R or the wheel turns it${flips}` : "";
    const one = mark.once ? "there is one: it leaves the place where it was" : "";
    const keys = [number, first, mark.name ? "" : "Delete"].filter(Boolean);
    const about = {
      role: "radio",
      "data-mark": mark.name,
      "aria-checked": String(isChosen),
      tabindex: isChosen ? "0" : "-1",
      title: [`${mark.title || mark.name}: ${keys.join(" or ")}`, one, turns].filter(Boolean).join("; "),
      onclick: () => this.choose(mark.name),
    };
    const picture =
      mark.colour || mark.name
        ? markPicture(
            mark,
            this.state.bench.palette.find((each) => !each.name),
          )
        : el("span", { class: "none" });
    return el(
      "button",
      about,
      picture,
      el("span", {}, mark.title || mark.name),
      keys[0] ? el("kbd", {}, keys[0]) : "",
    );
  }

  /** Arrow keys go from mark to mark, as in any group of radio buttons. @param {KeyboardEvent} event */
  #key(event) {
    const next = beside(all($("palette"), '[role="radio"]'), event);
    if (!next) return;
    event.preventDefault();
    next.focus();
    this.choose(next.dataset.mark ?? "");
  }
}
