// The palette: the marks of a content as pictures with names and keys; big ones are searched, recent marks first.
// @ts-check
import { drawMark, svg } from "./board.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const BIG = 24,
  MOST_RECENT = 8;
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

/** What a mark looks like, on what lies below it. @param {any} mark @param {any} [ground] */
export function markPicture(mark, ground) {
  const kind = mark.kinds.includes("cell") ? "cell" : mark.kinds[0];
  const points = POINTS[/** @type {keyof typeof POINTS} */ (kind)];
  const below = ground?.kinds.includes(kind) && mark.name ? [drawMark(ground, kind, points, true)] : [];
  const about = { viewBox: "-0.6 -0.6 1.2 1.2", "aria-hidden": "true" };
  return svg("svg", about, ...below, drawMark(mark, kind, points, true));
}

/** Whether nothing of a mark is seen on the board. @param {any} mark */
export const isInvisible = (mark) =>
  !mark.picture?.length && !mark.outline && !mark.fills && (!mark.glyph || mark.glyph === "?");

export class Palette {
  /** @param {any} page `el`, `bench`, and `chosen`, which is told of each choice */
  constructor(page) {
    this.page = page;
    /** @type {string[]} Names of marks, the latest first. */ this.recent = [];
    this.sought = "";
    this.isUnfolded = false;
    $("palette").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
  }

  /** The marks of the content, with what nothing looks like. */
  get marks() {
    const { palette } = this.page.bench(),
      ground = palette.find((/** @type {any} */ mark) => !mark.name);
    const none = ground ?? { name: "", title: "empty", kinds: ["cell", "edge", "vertex"] };
    return [none, ...palette.filter((/** @type {any} */ mark) => mark.name)];
  }

  /** @param {string} name */
  mark(name) {
    return this.marks.find((mark) => mark.name === name);
  }

  /** The words for a mark. @param {string} name */
  title(name) {
    const mark = this.mark(name);
    return mark?.title || mark?.name || "empty";
  }

  /** A mark with all that it becomes when it is turned. @param {any} first */
  turnsOf(first) {
    const found = [first];
    for (;;) {
      const next = this.marks.find((mark) => mark.name && mark.name === found.at(-1).turned);
      if (!next || found.includes(next)) return found;
      found.push(next);
    }
  }

  /** Choose a mark. @param {string} name */
  choose(name) {
    const bench = this.page.bench(),
      mark = this.mark(name);
    if (mark?.name) {
      for (const each of this.turnsOf(mark)) bench.turned.delete(each.name);
      bench.turned.add(name);
    }
    bench.mark = name;
    this.show();
    this.page.chosen(mark);
  }

  /** Choose by a key; whether it means a mark. @param {string} key */
  key(key) {
    const own = this.marks.find((mark) => mark.name && mark.key && mark.key === key);
    const found = own ?? (this.#numbered() && /^[1-9]$/.test(key) ? this.#shown()[Number(key) - 1] : undefined);
    if (found) this.choose(found.name);
    return Boolean(found);
  }

  /** Choose what the chosen mark becomes when it is turned. */
  turn() {
    const turned = this.mark(this.page.bench().mark)?.turned;
    if (turned) this.choose(turned);
  }

  /** Choose what the chosen mark becomes when it is turned over. */
  flip() {
    const flipped = this.mark(this.page.bench().mark)?.flipped;
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
    const { mark: chosen, turned } = this.page.bench(),
      hidden = new Set(),
      found = [];
    for (const first of this.marks) {
      if (hidden.has(first.name)) continue;
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
    const { el } = this.page,
      all = this.#shown(),
      isBig = all.length > BIG,
      focused = document.activeElement;
    const had =
      focused instanceof HTMLElement && $("palette").contains(focused) ? (focused.dataset.mark ?? "search") : null;
    const numbers = new Map(this.#numbered() ? all.slice(0, 9).map((mark, at) => [mark.name, String(at + 1)]) : []);
    const tile = (/** @type {any} */ mark) => this.#tile(mark, numbers.get(mark.name) ?? "");
    const fits = all.filter((mark) => (mark.title || mark.name).toLowerCase().includes(this.sought.toLowerCase()));
    const seen = fits.filter((mark) => !mark.name || !isInvisible(mark)),
      unseen = fits.filter((mark) => mark.name && isInvisible(mark));
    const parts = [];
    if (isBig) parts.push(this.#search());
    const recent =
      isBig && !this.sought ? this.recent.map((name) => seen.find((mark) => mark.name === name)).filter(Boolean) : [];
    if (recent.length) parts.push(this.#group("recent", recent.map(tile), true));
    const groups = new Map();
    for (const mark of seen)
      if (!recent.includes(mark)) groups.set(mark.group ?? "", [...(groups.get(mark.group ?? "") ?? []), mark]);
    for (const [name, marks] of groups) parts.push(this.#group(name, marks.map(tile), isBig));
    if (unseen.length) {
      const folds = {
        id: "invisible",
        open: this.isUnfolded || unseen.some((mark) => mark.name === this.page.bench().mark),
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
      const field = $("palette-search");
      field?.focus();
      field?.setSelectionRange(field.value.length, field.value.length);
    } else if (had !== null) $("palette").querySelector('[aria-checked="true"]')?.focus();
  }

  #search() {
    const about = {
      id: "palette-search",
      type: "search",
      placeholder: "Search",
      value: this.sought,
      "aria-label": "Search the palette",
    };
    const field = this.page.el("input", about);
    field.oninput = () => {
      this.sought = field.value;
      this.show();
    };
    return field;
  }

  /** @param {string} name @param {any[]} tiles @param {boolean} told */
  #group(name, tiles, told) {
    const { el } = this.page;
    const heading = told && name ? [el("span", { class: "heading", "aria-hidden": "true" }, name)] : [];
    return el("div", { class: "group", role: "group", "aria-label": name || undefined }, ...heading, ...tiles);
  }

  /** @param {any} mark @param {string} number */
  #tile(mark, number) {
    const { el, bench } = this.page,
      isChosen = mark.name === bench().mark;
    const first =
      this.turnsOf(mark)
        .map((each) => each.key)
        .find(Boolean) ?? mark.key;
    const isTurned = mark.name && this.turnsOf(mark).length > 1, flips = mark.flipped ? ", F turns it over" : "";
    const turns = isTurned ? `R or the wheel turns it${flips}` : "";
    const keys = [number, first, mark.name ? "" : "Delete"].filter(Boolean);
    const about = {
      role: "radio",
      "data-mark": mark.name,
      "aria-checked": String(isChosen),
      tabindex: isChosen ? "0" : "-1",
      title: [`${mark.title || mark.name}: ${keys.join(" or ")}`, turns].filter(Boolean).join("; "),
      onclick: () => this.choose(mark.name),
    };
    const picture =
      mark.colour || mark.name
        ? markPicture(
            mark,
            bench().palette.find((/** @type {any} */ each) => !each.name),
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
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    const by = steps[/** @type {keyof typeof steps} */ (event.key)];
    const all = [...$("palette").querySelectorAll('[role="radio"]')],
      at = all.indexOf(event.target);
    if (!by || at < 0) return;
    event.preventDefault();
    const next = all[(at + by + all.length) % all.length];
    next.focus();
    this.choose(next.dataset.mark);
  }
}
