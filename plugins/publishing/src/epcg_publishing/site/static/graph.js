// The positions of a puzzle, from the bytes that `epcg_publishing.play_data` writes; it says what they mean.
// @ts-check

import { PlayParts } from "./parts.js";
import { say } from "./texts.js";

const GOAL = 1, PATHS = 2, NOTE = 4, KNOWN = 8;
export const UNKNOWN = -1, DEAD = -2;

/** Numbers of seven bits a byte. */
class Numbers {
  /** @param {Uint8Array} bytes */
  constructor(bytes, at = 0) { this.bytes = bytes; this.at = at; }

  next() {
    let found = 0, scale = 1;
    for (;;) {
      const byte = this.bytes[this.at];
      this.at += 1;
      found += (byte & 127) * scale;
      if (byte < 128) return found;
      scale *= 128;
    }
  }

  signed() { const found = this.next(); return found % 2 ? -(found + 1) / 2 : found / 2; }

  list() { return Array.from({ length: this.next() }, () => this.next()); }
}

/** @param {string} text base64 of compressed bytes */
export async function unpacked(text) {
  if (typeof DecompressionStream === "undefined") throw new Error(say("This browser is too old to unpack the moves of this puzzle: a newer one plays it."));
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const found = new Uint8Array(await new Response(stream).arrayBuffer()), numbers = new Numbers(found);
  const length = numbers.next(), tables = JSON.parse(new TextDecoder().decode(found.subarray(numbers.at, numbers.at + length)));
  return tables.parts ? new PlayParts(tables) : new PlayGraph(tables, found.subarray(numbers.at + length));
}

/** @typedef {{number: number, why: string}} Told an action, and why it is right; '' if that is not told */

export class PlayGraph {
  /** @param {PlayTables} tables @param {Uint8Array} bytes */
  constructor(tables, bytes) {
    const numbers = new Numbers(bytes);
    this.tables = tables;
    this.start = 0;
    /** @type {{style: number, base: number, first: number[], start: number, length: number, last: number[]}[]} */ this.paths = [];
    for (let number = 0; number < this.tables.paths; number += 1) {
      const style = numbers.next(), back = numbers.next(), first = numbers.list();
      const [start, copied] = back ? [numbers.next(), numbers.next()] : [0, 0];
      this.paths.push({ style, base: back ? number - back : -1, first, start, length: copied, last: numbers.list() });
    }
    const size = this.tables.positions;
    this.size = size;
    this.complete = this.tables.complete;
    this.parents = new Int32Array(size); this.flags = new Uint8Array(size); this.distances = new Int32Array(size);
    this.starts = new Int32Array(size + 1);
    /** @type {number[][]} */ this.changes = [];
    /** @type {(number[] | null)[]} */ this.lines = [];
    /** @type {number[]} */ this.notes = [];
    /** @type {number[]} */ this.gestures = [];
    /** @type {number[]} */ this.targets = [];
    /** @type {Map<number, Told>} Why an action of a position is right. */ this.told = new Map();
    this.#read(numbers);
  }

  /** @param {Numbers} numbers */
  #read(numbers) {
    let highest = 0, used = 0;
    for (let number = 0; number < this.size; number += 1) {
      const parent = number ? number - numbers.next() : 0, flags = numbers.next();
      this.parents[number] = parent;
      this.flags[number] = flags;
      this.changes.push(Array.from({ length: 2 * numbers.next() }, () => numbers.next()));
      this.lines.push(flags & PATHS ? Array.from({ length: numbers.next() }, () => { const path = used - numbers.next(); used = Math.max(used, path + 1); return path; }) : null);
      this.notes.push(flags & NOTE ? numbers.next() : -1);
      this.distances[number] = numbers.signed() + (number ? this.distances[parent] : 0);
      this.starts[number] = this.targets.length;
      for (let left = flags & KNOWN ? numbers.next() : 0; left > 0; left -= 1) {
        this.gestures.push(numbers.next());
        const code = numbers.next();
        const target = code ? highest + 1 + (code % 2 ? (code - 1) / 2 : -code / 2) : UNKNOWN;
        this.targets.push(target);
        highest = Math.max(highest, target);
      }
      const why = this.tables.words && flags & KNOWN ? numbers.next() : 0;
      if (why) this.told.set(number, { why: this.tables.words?.[why - 1] ?? "", number: numbers.next() });
    }
    this.starts[this.size] = this.targets.length;
  }

  /** @param {number} number */
  solved(number) { return (this.flags[number] & GOAL) !== 0; }

  /** The actions from a position to a goal, UNKNOWN or DEAD. @param {number} number */
  distance(number) { return this.distances[number]; }

  /** What may be tried next, and why if the puzzle tells it. @param {number} number @returns {Told | null} */
  hint(number) {
    if (!(this.distances[number] > 0)) return null;
    const told = this.told.get(number), best = this.best(number);
    return told ?? (best < 0 ? null : { number: best, why: "" });
  }

  /** Whether the actions of a position are known. @param {number} number */
  known(number) { return (this.flags[number] & KNOWN) !== 0; }

  /** The actions of a position, each with the position `to` which it leads. @param {number} number */
  actions(number) {
    const found = [];
    for (let at = this.starts[number]; at < this.starts[number + 1]; at += 1) {
      const [sites, keys, text] = this.tables.gestures[this.gestures[at]];
      found.push({ sites: sites.map((site) => this.tables.sites[site][0]), keys, text, to: this.targets[at] });
    }
    return found;
  }

  /** How a position looks. @param {number} number */
  scene(number) {
    const way = [number];
    while (way[0]) way.unshift(this.parents[way[0]]);
    const marks = new Int32Array(this.tables.sites.length);
    let lines = /** @type {number[]} */ ([]), note = 0;
    for (const at of way) {
      const changes = this.changes[at];
      for (let change = 0; change < changes.length; change += 2) marks[changes[change]] = changes[change + 1];
      lines = this.lines[at] ?? lines;
      if (this.notes[at] >= 0) note = this.notes[at];
    }
    /** @type {Record<string, string[]>} */ const shown = {};
    this.tables.sites.forEach(([id], site) => { if (marks[site]) shown[id] = this.tables.marks[marks[site]]; });
    const paths = lines.map((path) => ({ ...this.tables.styles[this.paths[path].style], points: this.#points(path).map((point) => this.tables.points[point]) }));
    return { sites: this.tables.sites, marks: shown, paths, note: this.tables.notes[note] };
  }

  /** The points of a path by their numbers. @param {number} number */
  #points(number) {
    const way = [number];
    while (this.paths[way[0]].base >= 0) way.unshift(this.paths[way[0]].base);
    let points = /** @type {number[]} */ ([]);
    for (const at of way) {
      const { first, start, length, last } = this.paths[at];
      points = [...first, ...points.slice(start, start + length), ...last];
    }
    return points;
  }

  /** The action that leads nearest to a goal; -1 if none is known to lead there. @param {number} number */
  best(number) {
    let found = -1, least = Infinity;
    for (let at = this.starts[number]; at < this.starts[number + 1]; at += 1) {
      const target = this.targets[at], distance = target === UNKNOWN ? UNKNOWN : this.distances[target];
      if (distance >= 0 && distance < least) { least = distance; found = at - this.starts[number]; }
    }
    return found;
  }
}
