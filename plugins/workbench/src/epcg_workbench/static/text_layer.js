// Colours below the text: the lines in view in parts, with faults, found words and brackets.
// @ts-check
import { el } from "./base.js";
import { Colouring, cut, languageOf, underlined } from "./colouring.js";

/** @typedef {import("./colouring.js").Range} Range */
/** @typedef {{line: number, column: number, serious: boolean}} Fault */

export const LINE = 20;
const TAB = 4, MARGIN = 10;

/** How many columns a part of a line takes from its beginning. @param {string} part */
export const wide = (part) => [...part].reduce((x, sign) => (sign === "\t" ? x + TAB - (x % TAB) : x + 1), 0);

/** The line and column of a place in a text, from 0. @param {string[]} lines @param {number} place */
export function placeOf(lines, place) {
  let left = place, number = 0;
  while (number < lines.length - 1 && left > lines[number].length) left -= lines[number++].length + 1;
  return { number, column: left };
}

/** The place in a text at which a line begins, from 0. @param {string[]} lines @param {number} number */
export function startOf(lines, number) {
  let place = 0;
  for (let each = 0; each < number && each < lines.length; each += 1) place += lines[each].length + 1;
  return place;
}

export class TextLayer {
  /** @param {HTMLTextAreaElement} area */
  constructor(area) {
    this.area = area;
    this.colouring = new Colouring();
    this.pre = el("pre", { id: "colours", "aria-hidden": "true" });
    area.before(this.pre);
    /** What is at fault in lines, and the text of each then: as soon as it changes, the fault may be gone. */
    this.faults = /** @type {Map<number, {text: string, ranges: Range[]}>} */ (new Map());
    /** @type {Map<number, Range[]>} */ this.found = new Map();
    /** @type {{number: number, column: number}[]} */ this.pair = [];
    this.first = 0;
    this.last = -1;
    /** What is in view, kept because asking for it after a change makes the browser lay all lines out at once. */
    this.top = this.left = this.height = 0;
    area.addEventListener("scroll", () => this.#scrolled());
    new ResizeObserver(() => {
      this.height = area.clientHeight;
      this.#look();
      this.draw();
    }).observe(area);
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === area) this.#caret();
    });
  }

  get lines() { return this.colouring.lines; }

  /** Take the area's text. @param {string} text @param {boolean} [isOther] whether it may be of another language */
  set(text, isOther = false) {
    if (isOther) this.colouring.speak(languageOf(text));
    this.colouring.set(text);
    // what names the text has is read before one types
    if (isOther) setTimeout(() => this.colouring.names());
    this.pair = [];
    this.draw();
  }

  /** Underline what is at fault. @param {Fault[]} faults */
  mark(faults) {
    this.faults = new Map();
    for (const { line, column, serious } of faults) {
      const text = this.lines[line - 1];
      if (text === undefined) continue;
      const { ranges } = this.faults.get(line - 1) ?? { ranges: [] };
      const range = { ...underlined(text, column), name: serious ? "at-fault" : "at-hint" };
      this.faults.set(line - 1, { text, ranges: [...ranges, range] });
    }
    this.draw();
  }

  /** Show words that are found. @param {Map<number, Range[]>} found */
  show(found) {
    this.found = found;
    this.draw();
  }

  /** The caret has moved: a bracket beside it is shown with the other one of its pair. */
  #caret() {
    const { selectionStart, selectionEnd } = this.area, before = this.pair.length;
    const { number, column } = placeOf(this.lines, selectionStart);
    this.pair = selectionStart === selectionEnd ? this.colouring.pairAt(number, column) : [];
    if (before || this.pair.length) this.draw();
  }

  #look() { ({ scrollTop: this.top, scrollLeft: this.left } = this.area); }

  #scrolled() {
    this.#look();
    const top = Math.floor(this.top / LINE), end = top + Math.ceil(this.height / LINE);
    const isDrawn = this.first <= top && (end <= this.last || this.last === this.lines.length - 1);
    if (isDrawn) this.#place();
    else this.draw();
  }

  #place() {
    this.pre.style.transform = `translate(${-this.left}px, ${this.first * LINE - this.top}px)`;
  }

  /** Draw the lines in view, and some around them. */
  draw() {
    if (!this.height) return;
    this.first = Math.max(0, Math.floor(this.top / LINE) - MARGIN);
    this.last = Math.min(this.lines.length - 1, Math.ceil((this.top + this.height) / LINE) + MARGIN);
    const rows = [];
    for (let number = this.first; number <= this.last; number += 1) rows.push(this.#row(number));
    this.pre.replaceChildren(...rows);
    this.#place();
  }

  /** @param {number} number */
  #row(number) {
    const row = document.createElement("div"), line = this.lines[number], fault = this.faults.get(number);
    const pair = this.pair.filter((each) => each.number === number);
    const name = this.pair.length > 1 ? "bracket" : "bracket alone";
    const ranges = [
      ...(fault?.text === line ? fault.ranges : []), ...(this.found.get(number) ?? []),
      ...pair.map(({ column }) => ({ from: column, to: column + 1, name })),
    ];
    for (const { text, names } of cut(line, this.colouring.tokensOf(number), ranges)) {
      if (!names.length) { row.append(text); continue; }
      const part = document.createElement("span");
      part.className = names.flatMap((each) => each.split(" ")).map((each) => `in-${each}`).join(" ");
      part.textContent = text;
      if (names[0] === "colour" && /^#[0-9a-f]{3,8}$/i.test(text)) part.style.borderColor = text;
      row.append(part);
    }
    return row;
  }
}
