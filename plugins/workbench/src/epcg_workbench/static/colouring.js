// What a text looks like: kinds of its parts, pairs of brackets, words that are found, and words that may stand there.
// @ts-check
import { packing } from "./colour_packing.js";
import { puzzlescript } from "./colour_puzzlescript.js";
import { toml } from "./colour_toml.js";

/**
 * What a part of a line is.
 * @typedef {"remark" | "heading" | "key" | "word" | "name" | "string" | "number" | "colour" | "sign" | "picture"
 *   | "plain"} Kind
 */
/** @typedef {{from: number, to: number, kind: Kind}} Token a part of a line, by its columns from 0 */
/** @typedef {{from: number, to: number, name: string}} Range a part of a line that is shown in some other way, too */
/**
 * A language, read line by line: a mode is what a line has to know of those before it.
 * @typedef {object} Language
 * @property {string} name
 * @property {string} begin the mode of the first line
 * @property {(line: string, mode: string) => {tokens: Token[], mode: string}} line
 * @property {(lines: string[], modes: string[]) => string[]} names what a text names
 * @property {(mode: string, before: string) => {words: string[], names: boolean, isNone?: boolean}} offers
 */

/** The longest line that is coloured. */
const MOST_COLOURED = 2000;
const MOST_OFFERED = 8, LEAST_TYPED = 2, MOST_LOOKED = 2000, MOST_READ = 20_000;
const PAIRS = { "(": ")", "[": "]", "{": "}" };

/** A text without a language. @type {Language} */
export const plain = {
  name: "", begin: "",
  line: () => ({ tokens: [], mode: "" }), names: () => [], offers: () => ({ words: [], names: false, isNone: true }),
};

/** The language of a text. @param {string} text */
export function languageOf(text) {
  const front = text.slice(0, MOST_READ);
  if (/^\s*(objects|collisionlayers)\s*$/im.test(front)) return puzzlescript;
  if (/^\s*(lattice\s*=|\[board\])/m.test(front)) return packing;
  return /^\s*(\[\[?[\w." -]+\]\]?\s*(#.*)?$|[\w-]+\s*=\s*["'\d[{tf])/m.test(front) ? toml : plain;
}

/** A text in lines, and the modes of its lines as far as they were needed: an edit keeps those that stay. */
export class Colouring {
  constructor() {
    /** @type {Language} */ this.language = plain;
    /** @type {string[]} */ this.lines = [""];
    /** @type {string[]} */ this.modes = [plain.begin];
    /** @type {string[] | null} */ this.known = null;
  }

  /** Take a text. @param {string} text */
  set(text) {
    const lines = text.split("\n"), { lines: before, modes } = this;
    if (this.language === plain || !text) this.speak(languageOf(text));
    const most = Math.min(lines.length, before.length);
    let same = 0, after = 0;
    while (same < most && lines[same] === before[same]) same += 1;
    while (after < most - same && lines[lines.length - 1 - after] === before[before.length - 1 - after]) after += 1;
    this.lines = lines;
    this.known = null;
    if (this.modes !== modes || modes.length <= same + 1) return;
    // below an edit the modes are as they were as soon as one is
    const rest = modes.slice(before.length - after);
    modes.length = same + 1;
    const isKept = after > 0 && rest.length > 0 && lines.length - after - same < MOST_LOOKED;
    if (isKept && this.modeOf(lines.length - after) === rest[0]) modes.push(...rest.slice(1));
  }

  /** @param {Language} language */
  speak(language) {
    if (language === this.language) return;
    this.language = language;
    this.modes = [language.begin];
  }

  /** The mode of a line, from 0. @param {number} number */
  modeOf(number) {
    while (this.modes.length <= number)
      this.modes.push(this.language.line(this.lines[this.modes.length - 1], this.modes[this.modes.length - 1]).mode);
    return this.modes[number];
  }

  /** The parts of a line in their order, without plain ones. @param {number} number */
  tokensOf(number) {
    const line = this.lines[number] ?? "";
    if (line.length > MOST_COLOURED) return [];
    const { tokens } = this.language.line(line, this.modeOf(number));
    return tokens.filter(({ kind }) => kind !== "plain").sort((one, other) => one.from - other.from);
  }

  /** What the text names, read when it is asked for the first time after an edit. */
  names() {
    this.modeOf(this.lines.length - 1);
    this.known ??= this.language.names(this.lines, this.modes);
    return this.known;
  }

  /**
   * The words that may be meant at a column of a line, and where what is typed of them begins.
   * @param {number} number @param {number} column @param {boolean} [isAsked] even if nothing is typed yet
   */
  offered(number, column, isAsked = false) {
    const line = this.lines[number] ?? "", before = line.slice(0, column), typed = /[\w-]*$/.exec(before)?.[0] ?? "";
    const from = column - typed.length, small = typed.toLowerCase();
    /** @type {string[]} */ const none = [];
    const holds = (/** @type {Token} */ each) => each.kind === "remark" && each.from < column && column <= each.to;
    const isBusy = /^\w/.test(line.slice(column)) || (!isAsked && typed.length < LEAST_TYPED);
    if (isBusy || this.tokensOf(number).some(holds)) return { from, words: none };
    const { words, names, isNone } = this.language.offers(this.modeOf(number), before);
    if (isNone) return { from, words: none };
    const all = [...new Set([...(names ? this.names() : []), ...words])];
    if (all.some((word) => word.toLowerCase() === small)) return { from, words: none };
    const begun = all.filter((word) => word.toLowerCase().startsWith(small));
    return { from, words: begun.sort((one, other) => one.length - other.length).slice(0, MOST_OFFERED) };
  }

  /**
   * The two brackets of a pair, if there is one beside a caret: their lines and columns; only the first if it is alone.
   * @param {number} number @param {number} column @returns {{number: number, column: number}[]}
   */
  pairAt(number, column) {
    for (const at of [column - 1, column]) {
      const sign = this.lines[number]?.[at] ?? "";
      const opens = sign in PAIRS, closes = Object.values(PAIRS).includes(sign);
      if ((!opens && !closes) || this.#isText(number, at)) continue;
      const other = this.#other(number, at, sign, opens);
      return other ? [{ number, column: at }, other] : [{ number, column: at }];
    }
    return [];
  }

  /** @param {number} number @param {number} column @param {string} sign @param {boolean} opens */
  #other(number, column, sign, opens) {
    const match = opens ? PAIRS[/** @type {keyof typeof PAIRS} */ (sign)]
      : Object.entries(PAIRS).find(([, close]) => close === sign)?.[0];
    const step = opens ? 1 : -1;
    const [least, most] = [Math.max(0, number - MOST_LOOKED), Math.min(this.lines.length - 1, number + MOST_LOOKED)];
    let depth = 0, at = column;
    for (let line = number; line >= least && line <= most; line += step) {
      const text = this.lines[line];
      if (line !== number) at = opens ? 0 : text.length - 1;
      if (!text.includes(sign) && !text.includes(match ?? "")) continue;
      for (; at >= 0 && at < text.length; at += step) {
        if ((text[at] !== sign && text[at] !== match) || this.#isText(line, at)) continue;
        depth += text[at] === sign ? 1 : -1;
        if (!depth) return { number: line, column: at };
      }
    }
    return null;
  }

  /** Whether a place is in a text, whose brackets mean nothing. @param {number} number @param {number} column */
  #isText(number, column) {
    return this.tokensOf(number).some(({ from, to, kind }) => (
      from <= column && column < to && (kind === "string" || kind === "picture")
    ));
  }
}

/** Where words stand in a text, capitals being as small letters. @param {string} text @param {string} words */
export function foundIn(text, words) {
  /** @type {number[]} */ const found = [];
  const small = text.toLowerCase(), wanted = words.toLowerCase();
  if (!wanted) return found;
  // of a text that grows when it is made small, places would be others
  const [within, sought] = small.length === text.length ? [small, wanted] : [text, words];
  for (let at = within.indexOf(sought); at >= 0; at = within.indexOf(sought, at + sought.length)) found.push(at);
  return found;
}

/**
 * The word that a fault is about: from its column to the end of the word; the line if it has none.
 * @param {string} line @param {number} column from 1, or 0
 */
export function underlined(line, column) {
  if (!column) return { from: line.length - line.trimStart().length, to: line.trimEnd().length };
  const from = Math.min(column - 1, Math.max(0, line.length - 1)), word = /^[\w-]+/.exec(line.slice(from))?.[0] ?? "";
  return { from, to: from + Math.max(1, word.length) };
}

/**
 * A line cut into parts, each with the names of all that it is: kinds, and ranges that lie over them.
 * @param {string} line @param {Token[]} tokens in their order @param {Range[]} ranges
 */
export function cut(line, tokens, ranges) {
  const ends = new Set([0, line.length]);
  for (const { from, to } of [...tokens, ...ranges]) for (const end of [from, to]) ends.add(Math.min(end, line.length));
  const places = [...ends].sort((one, other) => one - other);
  let next = 0;
  return places.slice(1).map((to, number) => {
    const from = places[number];
    while (next < tokens.length && tokens[next].to <= from) next += 1;
    const token = tokens[next], kind = token && token.from <= from ? token.kind : "";
    const names = ranges.filter((range) => range.from <= from && to <= range.to).map(({ name }) => name);
    return { text: line.slice(from, to), names: [kind, ...names].filter(Boolean) };
  });
}
