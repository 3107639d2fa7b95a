// The faults of a text in words, the same beside the levels, above the board and beside the text. No page.
// @ts-check
import { counted } from "./words.js";

/** Whether a text cannot be used as it is. @param {Fault[]} faults */
export const isSerious = (faults) => faults.some((fault) => fault.serious);

/**
 * How many faults there are: what is gone when another is mended does not count; hints, if the text can be used.
 * @param {Fault[]} faults
 */
export function toldFaults(faults) {
  const count = faults.filter((fault) => !fault.follows).length;
  return count ? counted(count, isSerious(faults) ? "fault" : "hint") : "no faults";
}

/**
 * What is put into a text instead of a word, in all lines that are at fault for it.
 * @param {string[]} lines of the text @param {number} line of the fault, from 1 @param {Guess} guess
 * @returns {{from: number, to: number, text: string, many: number}} the part that changes, and how often it does
 */
export function mended(lines, line, { column, length, text, lines: where }) {
  const word = (lines[line - 1] ?? "").slice(column - 1, column - 1 + length).toLowerCase();
  /** @type {number[]} */ const found = [];
  let start = 0;
  for (const [number, each] of lines.entries()) {
    if (where.includes(number + 1)) {
      for (const { 0: known, index } of each.matchAll(/[\p{L}\p{N}_]+/gu)) {
        if (known.toLowerCase() === word) found.push(start + index);
      }
    }
    start += each.length + 1;
  }
  if (!found.length) return { from: 0, to: 0, text: "", many: 0 };
  const all = lines.join("\n"), from = found[0], to = found[found.length - 1] + length;
  let put = "", at = from;
  for (const each of found) {
    put += all.slice(at, each) + text;
    at = each + length;
  }
  return { from, to, text: put, many: found.length };
}
