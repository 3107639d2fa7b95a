// Numbers in words, the same on every page.
// @ts-check

/** A number with its thousands set off; of a fraction four digits, and no part of one from a thousand on.
 * @param {number} value */
export function figures(value) {
  const four = Number(value.toPrecision(4)), whole = Number.isInteger(value) || Math.abs(four) >= 1000;
  return whole ? Math.round(value).toLocaleString("en") : String(four);
}

/**
 * A value, or why there is none.
 * @param {Value | undefined} value @param {string} [reason] @param {string[]} [words] what 0, 1, 2 ... are called
 */
export function shown(value, reason = "", words = []) {
  if (typeof value === "number" && words[value]) return words[value];
  if (value === null || value === undefined) return reason || "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return figures(value);
}

/**
 * A value with the title of its measure, as on tiles: "17 moves", "moves: 1", "can be solved: yes", "longest line: 14".
 * A number stands before what is counted: a noun in the plural, which may be followed by more ("ways to go on").
 * @param {string} title @param {Value | undefined} value @param {string} [reason] @param {string[]} [words]
 */
export function titled(title, value, reason = "", words = []) {
  const told = shown(value, reason, words);
  const head = title.split(/ (?:of|to|with|that|which|one|on|in|from|for|whatever|where)\b| \(/)[0];
  const isMany = typeof value === "number" && value !== 1 && !words[value] && /[^su]s\b/.test(head);
  return isMany ? `${told} ${title}` : `${title}: ${told}`;
}

/**
 * A number with its noun: "1 place", "2,000 places". What follows a noun may be part of the word: "1 place lies".
 * @param {number | bigint} number @param {string} one @param {string} several
 */
export function counted(number, one, several = `${one}s`) {
  return `${number.toLocaleString("en")} ${Number(number) === 1 ? one : several}`;
}

/** @param {number} number */
export function moves(number) { return counted(number, "move"); }

/** @param {number} number */
export function seconds(number) {
  if (number < 100) return `${Math.ceil(number)} s`;
  if (number < 6000) return `${Math.round(number / 60)} minutes`;
  if (number < 172800) return `${Math.round(number / 3600)} hours`;
  return `${Math.round(number / 86400).toLocaleString("en")} days`;
}

/** Bytes as commands write them: "1 byte", "12.5 kB", "374 MB". @param {number} number */
export function bytes(number) {
  let value = number, at = 0;
  for (; value >= 999.5 && at < SIZES.length - 1; at += 1) value /= 1000;
  if (!at) return counted(number, "byte");
  return `${value < 999.5 ? Number(value.toPrecision(3)) : Math.round(value)} ${SIZES[at]}`;
}
const SIZES = ["bytes", "kB", "MB", "GB", "TB", "PB"];

/** Bytes on a disk that are too few to be told. */
const LITTLE = 1e8;

/** What runs would take together: time, with its range if that is wide, disk if it is not little, memory, and what
 * cannot be told.
 * @param {Cost} found @param {string} [opening] */
export function price(found, opening = "about") {
  const [low, high] = found.between, wide = high > 2 * found.seconds || 2 * low < found.seconds;
  const range = wide ? ` (${seconds(low)} to ${seconds(high)})` : "";
  const memory = found.memory ? `${bytes(Number(found.memory))} of memory` : "";
  const disk = Number(found.bytes) < LITTLE ? "" : `${bytes(Number(found.bytes))} on disk`;
  const size = [disk, memory].filter(Boolean).join(" and ");
  const known = found.known
    ? `${opening} ${seconds(found.seconds)} of one processor${range}${size && `, ${size}`}.` : "";
  if (!found.unknown) return known;
  const what = found.known ? "Time and size of other runs" : "Time and size";
  return `${known} ${what} cannot be told before: ${found.unknown}.`.trim();
}
