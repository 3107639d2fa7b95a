// What was typed in a text, word by word: browsers that see other parts of a page change take back single letters.
// @ts-check

/** @typedef {{from: number, removed: string, added: string}} Edit what stands at a place instead of what stood there */
/** @typedef {{value: string, start: number, end: number}} Held a text, and what is selected of it */

const MOST = 2_000;

/**
 * What makes one text of another: what lies between the signs with which both begin, and those with which both end.
 * @param {Held} before @param {Held} after
 * @returns {Edit}
 */
export function edited(before, after) {
  const end = after.value.length - after.end, from = Math.min(before.start, after.end);
  const removed = before.value.slice(from, before.value.length - end), added = after.value.slice(from, after.end);
  if (made(before.value, { from, removed, added }) === after.value) return { from, removed, added };
  const least = Math.min(before.value.length, after.value.length);
  let same = 0, last = 0;
  while (same < least && before.value[same] === after.value[same]) same += 1;
  while (last < least - same && before.value.at(-1 - last) === after.value.at(-1 - last)) last += 1;
  return {
    from: same, removed: before.value.slice(same, before.value.length - last),
    added: after.value.slice(same, after.value.length - last),
  };
}

/** A text after an edit. @param {string} text @param {Edit} edit */
export const made = (text, { from, removed, added }) => text.slice(0, from) + added + text.slice(from + removed.length);

/**
 * Two edits as one, if a person takes them back together: letters of a word with the blanks behind it, or a run of
 * letters that are deleted.
 * @param {Edit} before @param {Edit} after @returns {Edit | null}
 */
export function joined(before, after) {
  const { from, removed, added } = before, isTyped = after.added.length === 1 && !after.removed;
  if (isTyped && after.from === from + added.length && added && !added.includes("\n")) {
    const isNext = /\s$/.test(added) && /\S/.test(after.added); // another word
    return isNext ? null : { from, removed, added: added + after.added };
  }
  const isDeleted = after.removed.length === 1 && !after.added && !added && removed;
  if (isDeleted && after.from === from) return { from, removed: removed + after.removed, added: "" };
  if (isDeleted && after.from + 1 === from) return { from: after.from, removed: after.removed + removed, added: "" };
  return null;
}

/** The edits of a text that were made by hand, and those that were taken back. */
export class TextHistory {
  constructor() {
    /** @type {Edit[]} */ this.done = [];
    /** @type {Edit[]} */ this.undone = [];
    /** Whether the next edit begins a step in any case. */ this.isNew = true;
  }

  /** Whether there is something to take back, or to make again. */
  get isEmpty() { return !this.done.length && !this.undone.length; }

  clear() { this.done = []; this.undone = []; this.isNew = true; }

  /** The caret has gone elsewhere: what is typed there is a step of its own. */
  part() { this.isNew = true; }

  /** Keep an edit. @param {Edit} edit */
  add(edit) {
    if (!edit.removed && !edit.added) return;
    const before = this.isNew ? undefined : this.done.at(-1), both = before ? joined(before, edit) : null;
    if (both) this.done[this.done.length - 1] = both; else this.done.push(edit);
    if (this.done.length > MOST) this.done.shift();
    this.undone = [];
    this.isNew = false;
  }

  /** The edit that takes back the last step; nothing if there is none. @returns {Edit | undefined} */
  undo() {
    const step = this.done.pop();
    if (!step) return undefined;
    this.undone.push(step);
    this.isNew = true;
    return { from: step.from, removed: step.added, added: step.removed };
  }

  /** The edit that makes again what was taken back last. @returns {Edit | undefined} */
  redo() {
    const step = this.undone.pop();
    if (step) this.done.push(step);
    this.isNew = true;
    return step;
  }
}
