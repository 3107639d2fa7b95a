// What a player does with puzzles, action by action: kept while the player wants it, given away only as a file.
// @ts-check

/** A longer pause with a puzzle counts as so many seconds. */
const PAUSE_S = 120;
/** What each count is called one by one. @type {Record<Count, string>} */
const KINDS = { moves: "move", undos: "undo", restarts: "restart", hints: "hint" };
/** So many actions of a puzzle are kept one by one, and further ones are only counted. */
const MOST_ACTIONS = 20000;

/** What is kept of a puzzle: a page of an earlier version kept no actions. @typedef {{puzzle?: string, seconds: number,
 *   moves: number, undos: number, restarts: number, hints: number, solution: boolean, finished: boolean,
 *   rating: number | null, actions: (string | number)[][] | null}} Trace */
/** @typedef {{player: string, puzzles: Record<string, Trace>, on: boolean}} Test what is kept of all puzzles */
/** @typedef {"moves" | "undos" | "restarts" | "hints"} Count */

/** What a player does, kept only while the player wants it, and given away only as a file. */
export class Traces {
  /** @param {{data: {test?: Test}, write: () => void}} kept where it is kept, under `test` @param {string} curriculum @param {() => number} clock milliseconds */
  constructor(kept, curriculum, clock = () => performance.now()) {
    this.kept = kept; this.curriculum = curriculum; this.clock = clock;
    /** @type {string | null} */ this.key = null;
    this.puzzle = ""; this.since = 0;
    /** Whether the puzzle was begun while nothing was kept, so that nothing is kept of it at all. */
    this.begun = false;
  }

  get on() { return this.kept.data.test?.on === true; }
  get any() { return Object.keys(this.kept.data.test?.puzzles ?? {}).length > 0; }

  /** @param {boolean} on @param {boolean} begun whether the puzzle was begun already */
  turn(on, begun) {
    this.pause();
    const player = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    /** @type {Partial<Test>} */ const known = this.kept.data.test ?? {};
    this.kept.data.test = { player: known.player || player(), puzzles: known.puzzles ?? {}, on };
    this.begun = begun && !this.#known;
    this.kept.write();
    if (on && this.key) this.resume();
  }

  get #known() { return Boolean(this.key && this.kept.data.test?.puzzles?.[this.key]); }

  forget() { delete this.kept.data.test; this.since = 0; this.kept.write(); }

  /** @param {string} key @param {string} puzzle @param {boolean} begun */
  open(key, puzzle, begun) {
    this.pause();
    this.key = key; this.puzzle = puzzle; this.begun = begun && !this.#known;
    this.resume();
  }

  /** @returns {Trace} what is kept of the puzzle */
  get own() {
    const found = this.kept.data.test?.puzzles?.[this.key ?? ""];
    return found && typeof found === "object" ? found : { seconds: 0, moves: 0, undos: 0, restarts: 0, hints: 0, solution: false, finished: false, rating: null, actions: [] };
  }

  /** The actions with one more, and the milliseconds since the puzzle was begun. @param {string[]} action kind and text @returns {Partial<Trace>} */
  #with(...action) {
    const known = this.own.actions;
    if (!Array.isArray(known)) return { actions: null }; // a page of an earlier version began without
    return known.length < MOST_ACTIONS ? { actions: [...known, [Math.round(this.own.seconds * 1000), ...action]] } : {};
  }

  /** @param {Partial<Trace>} change */
  #keep(change) {
    if (!this.kept.data.test?.on || !this.key || this.begun) return;
    this.kept.data.test.puzzles[this.key] = { ...this.own, ...change, puzzle: this.puzzle };
    this.kept.write();
  }

  /** The time until now counts; after a solution none does. */
  pause() {
    if (this.since && this.on && !this.own.finished) this.#keep({ seconds: this.own.seconds + Math.min(PAUSE_S, (this.clock() - this.since) / 1000) });
    this.since = 0;
  }

  resume() { if (this.on) this.since = this.clock(); }

  /** No puzzle is shown. */
  close() { this.pause(); this.key = null; }

  /** @param {Count} what @param {string} [text] the move */
  count(what, text) {
    if (!this.on) return;
    this.pause(); this.resume();
    if (!this.own.finished) this.#keep({ [what]: this.own[what] + 1, ...this.#with(KINDS[what], ...(text === undefined ? [] : [text])) });
  }

  finished() { if (this.on && !this.own.finished) { this.pause(); this.#keep({ finished: true }); } }
  shown() { if (this.on && !this.own.finished && !this.own.solution) { this.pause(); this.resume(); this.#keep({ solution: true, ...this.#with("solution") }); } }
  /** @param {number | null} rating */
  rate(rating) { this.#keep({ rating }); }

  /** The file that a player may give away. */
  file() {
    this.pause(); this.resume();
    const { player = "", puzzles = {} } = this.kept.data.test ?? {};
    const found = Object.values(puzzles).filter((each) => each && typeof each === "object" && each.puzzle)
      .map(({ puzzle, seconds, moves, undos, restarts, hints, solution, finished, rating, actions }) => ({ puzzle, seconds: Math.round(seconds * 1000) / 1000, moves, undos, restarts, hints, solution, finished, rating, actions: Array.isArray(actions) ? actions : null }));
    return { format: "epcg-traces", version: 2, player, curriculum: this.curriculum, puzzles: found };
  }
}
