// Play by hand: what was touched is matched with the gestures of a position's actions.
// @ts-check

/** Whether touches can grow into a gesture: one or two sites in their order, more of them in any. @param {string[]} sites @param {string[]} tail */
export function begins(sites, tail) {
  if (sites.length > 2) return new Set(tail).size === tail.length && tail.every((site) => sites.includes(site));
  return tail.every((site, number) => site === sites[number]);
}

/** The touches of one player at one board. */
export class Touches {
  /**
   * @param {import("./board.js").EpcgBoard} board
   * @param {(number: number) => unknown} take takes an action, by its number
   * @param {(sentence: string) => void} say shows a sentence
   */
  constructor(board, take, say) {
    this.board = board; this.take = take; this.say = say;
    /** @type {{sites: string[], keys: string[], text: string}[]} */ this.actions = [];
    /** @type {string[]} */ this.touched = [];
    this.reset();
  }

  /** Forget what was touched. */
  reset() { this.touched = []; /** @type {number | undefined} */ this.held = undefined; }

  /** @param {number} number */
  #taken(number) { this.reset(); return this.take(number); }

  /** Touch sites, one after the other. @param {string[]} sites */
  stroke(sites) {
    if (this.held !== undefined && sites.length === 1 && sites[0] === this.touched.at(-1)) return this.#taken(this.held);
    this.held = undefined;
    this.touched = [...this.touched, ...sites].slice(-64);
    for (let from = 0; from < this.touched.length; from += 1) {
      const tail = this.touched.slice(from);
      const whole = this.actions.findIndex((action) => action.sites.length === tail.length && begins(action.sites, tail));
      const longer = this.actions.some((action) => action.sites.length > tail.length && begins(action.sites, tail));
      if (whole >= 0 && (!longer || sites.length > 1)) return this.#taken(whole);
      if (whole < 0 && !longer) continue;
      this.board.touch(tail);
      this.touched = tail;
      if (whole >= 0) this.held = whole;
      this.say(whole >= 0 ? `Touch it again for: ${this.actions[whole].text}. Or go on.` : `${this.board.title_(tail.at(-1) ?? "")} chosen.`);
      return undefined;
    }
    this.touched = [];
    this.board.touch([]);
    this.say("No move is made that way here.");
    return undefined;
  }

  /** Press a key; whether it makes a move. @param {string} key */
  key(key) {
    const fitting = this.actions.map((action, number) => ({ action, number })).filter(({ action }) => action.keys.includes(key));
    const chosen = fitting.find(({ action }) => action.sites[0] === this.touched.at(-1)) ?? (fitting.length === 1 || !this.touched.length ? fitting.find(({ action }) => action.sites[0] === this.board.here) ?? (fitting.length === 1 ? fitting[0] : undefined) : undefined);
    if (!chosen) return false;
    this.#taken(chosen.number);
    return true;
  }
}
