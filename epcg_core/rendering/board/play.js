// Play by hand: the state of play, and what keys, touches and swipes make of it. Nothing here knows a page or a game.
// @ts-check
import { say, sayOf } from "./texts.js";

/** @typedef {{sites: string[], keys: string[], text: string}} Action a move: what is touched, keys, and words */
/**
 * A position as it is shown.
 * @typedef {object} Position
 * @property {Scene} scene what the board draws; its `note` is said
 * @property {Action[]} actions
 * @property {boolean} solved
 * @property {string} [rest] what is said of it besides, instead of that no move is left
 * @property {(boolean | null)[]} [dead] which actions lose
 */
/** @typedef {{taken: number[], position: Position, touched: string[], held: number}} State */
/**
 * Something that the player does; `look` shows the position again, about which something else is asked. A `key` may be
 * pressed on the board, whose cursor it then moves; a `stroke` with a `swipe` was made by a finger, in the direction of
 * that arrow key; one of a `line` touches only what is a move.
 * @typedef {{kind: "key", key: string} | {kind: "swipe", key: string}
 *   | {kind: "stroke", sites: string[], swipe?: string, line?: boolean} | {kind: "take", number: number}
 *   | {kind: "undo"} | {kind: "restart"} | {kind: "hint"} | {kind: "look"}
 *   | {kind: "go", taken: number[]}} Input
 */
/**
 * What an input comes to: other moves, with what the player did; other touches; a sentence; further inputs; a key that
 * moves the cursor of the board.
 * @typedef {object} Step
 * @property {number[]} [taken]
 * @property {"moves" | "undos" | "restarts" | "hints"} [did]
 * @property {string} [text] the move in words
 * @property {string[]} [touched]
 * @property {number} [held] the action that another touch of the same place makes; -1 for none
 * @property {string} [note]
 * @property {Input[]} [then]
 * @property {string} [cursor]
 */
/**
 * Where the cursor is, and what sites are called.
 * @typedef {{here: () => string, title: (site: string) => string}} Places
 */
/** @typedef {{number: number, why?: string} | {sentence: string}} Hint an action, and why it is right */

/** Keys of the genre that mean others. @type {Record<string, string>} */
const SAME_KEYS = { w: "ArrowUp", a: "ArrowLeft", s: "ArrowDown", d: "ArrowRight", " ": "x", Enter: "x" };
/** What keys do that make no move. @type {Record<string, "undo" | "restart" | "hint">} */
const OTHER_KEYS = { z: "undo", u: "undo", Backspace: "undo", r: "restart", h: "hint" };
const MOST_TOUCHED = 64;
/** A finger that goes so far has swiped, in pixels. */
const LEAST_SWIPE = 24;

/**
 * Whether touches can grow into a gesture: one or two sites in their order, more of them in any.
 * @param {string[]} sites @param {string[]} tail
 */
export function begins(sites, tail) {
  if (sites.length > 2) return new Set(tail).size === tail.length && tail.every((site) => sites.includes(site));
  return tail.every((site, number) => site === sites[number]);
}

/** The state of play at a position. @param {number[]} taken @param {Position} position @returns {State} */
export const stateAt = (taken, position) => ({ taken, position, touched: [], held: -1 });

/** The arrow key of a movement to the right and downward; '' if it is none. @param {number} x @param {number} y */
export function swiped(x, y, least = LEAST_SWIPE) {
  if (Math.max(Math.abs(x), Math.abs(y)) < least) return "";
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? "ArrowRight" : "ArrowLeft";
  return y > 0 ? "ArrowDown" : "ArrowUp";
}

/** A number of moves in words. @param {number} number */
export const movesInWords = (number) => sayOf(number, "{count} move", "{count} moves");

/** What is said of a state: how many moves, whether it is the end, and the note of the scene. @param {State} state */
export function told({ taken, position }) {
  const many = movesInWords(taken.length), { actions, solved, rest, scene } = position;
  const none = taken.length ? say("There is no move left: take one back.") : say("There is no move.");
  const says = solved ? sayOf(taken.length, "Solved in {count} move.", "Solved in {count} moves.") : `${many}. ${rest || (actions.length ? "" : none)}`;
  return [says.trim(), scene.note].filter(Boolean).join(" ");
}

/**
 * The action that a key makes; -1 for none.
 * @param {State} state @param {string} key @param {string} here the cursor's site
 */
export function pressed({ position, touched }, key, here) {
  const all = position.actions.map(({ keys, sites }, number) => ({ keys, number, site: sites[0] }));
  const found = all.filter(({ keys }) => keys.includes(key));
  const last = found.find(({ site }) => site === touched.at(-1) && touched.length > 0);
  if (last) return last.number;
  if (found.length !== 1 && touched.length) return -1;
  return (found.find(({ site }) => site === here) ?? (found.length === 1 ? found[0] : undefined))?.number ?? -1;
}

/** Take an action. @param {State} state @param {number} number @returns {Step} */
const takes = ({ taken, position }, number) => (
  { taken: [...taken, number], did: "moves", text: position.actions[number].text }
);

/**
 * Touch sites, one after the other.
 * @param {State} state @param {string[]} sites @param {Places} places @returns {Step}
 */
function touches(state, sites, places) {
  const { position: { actions }, held } = state;
  if (held >= 0 && sites.length === 1 && sites[0] === state.touched.at(-1)) return takes(state, held);
  const touched = [...state.touched, ...sites].slice(-MOST_TOUCHED);
  for (let from = 0; from < touched.length; from += 1) {
    const tail = touched.slice(from);
    const whole = actions.findIndex((action) => action.sites.length === tail.length && begins(action.sites, tail));
    const longer = actions.some((action) => action.sites.length > tail.length && begins(action.sites, tail));
    if (whole >= 0 && (!longer || sites.length > 1)) return takes(state, whole);
    if (whole < 0 && !longer) continue;
    const chosen = say("{place} chosen.", { place: places.title(tail[tail.length - 1]) });
    const again = whole < 0 ? chosen : say("Touch it again for: {move}. Or go on.", { move: actions[whole].text });
    return { touched: tail, held: whole, note: again };
  }
  return { touched: [], note: say("No move is made that way here.") };
}

/**
 * Draw over sites.
 * @param {State} state @param {{sites: string[], swipe?: string, line?: boolean}} stroke @param {Places} places
 * @returns {Step}
 */
function strokes(state, { sites, swipe = "", line = false }, places) {
  const { actions } = state.position;
  if (line && !actions.some((action) => action.sites[0] === sites[0])) return {};
  const isLong = sites.length > 1;
  const pair = isLong ? actions.findIndex((each) => each.sites.length === 2 && begins(each.sites, sites.slice(0, 2))) : -1;
  if (pair >= 0) return takes(state, pair);
  if (swipe) { // also one that ends in the cell where it began
    const own = actions.some((action) => action.sites[0] === sites[0]) ? { ...state, touched: [] } : state;
    const number = pressed(own, swipe, sites[0]);
    if (number >= 0) return takes(state, number);
  }
  // a line that is drawn in one go touches its sites one after the other
  if (isLong && actions.every((action) => action.sites.length < 2))
    return { then: sites.map((site) => ({ kind: "stroke", sites: [site], line: true })) };
  return touches(state, sites, places);
}

/**
 * Whether all begins at one place, a line say: the first arrow or swipe begins there and goes on.
 * @param {State} state @param {string} here the cursor's site
 */
export const isBegun = (state, here = "") => state.taken.length === 0 && state.position.actions.length === 1
  && pressed(state, "Enter", here) === 0;

/**
 * Press a key; nothing if it means nothing here.
 * @param {State} state @param {{key: string}} press @param {Places} places @returns {Step | null}
 */
function presses(state, { key }, places) {
  const isEnter = key === "Enter" || key === " ", here = places.here();
  const isTouch = isEnter && state.position.actions.some((action) => action.sites[0] === here);
  let number = isTouch ? -1 : pressed(state, key, here);
  if (number < 0 && key in SAME_KEYS) number = pressed(state, SAME_KEYS[key], here);
  if (number >= 0) return takes(state, number);
  if (key in OTHER_KEYS) return stepped(state, { kind: OTHER_KEYS[key] }, places);
  if (isEnter) return here ? touches(state, [here], places) : null;
  if (!key.startsWith("Arrow")) return null;
  return isBegun(state, here) ? { ...takes(state, 0), then: [{ kind: "key", key }] } : { cursor: key };
}

/**
 * What an input comes to at a state; nothing if it means nothing there. A hint is asked of who knows the moves.
 * @param {State} state @param {Input} input @param {Places} places @returns {Step | null}
 */
export function stepped(state, input, places) {
  const { taken, position } = state;
  if (input.kind === "key") return presses(state, input, places);
  if (input.kind === "stroke") return input.sites.length ? strokes(state, input, places) : null;
  if (input.kind === "swipe") {
    const number = pressed(state, input.key, places.here());
    if (number < 0 && isBegun(state, places.here())) return { ...takes(state, 0), then: [input] };
    return number < 0 ? null : takes(state, number);
  }
  if (input.kind === "take") return input.number in position.actions ? takes(state, input.number) : null;
  if (input.kind === "undo") return taken.length ? { taken: taken.slice(0, -1), did: "undos" } : {};
  if (input.kind === "restart") return { taken: [], did: "restarts" };
  if (input.kind === "hint") return position.solved ? { note: say("It is solved.") } : { did: "hints" };
  return { taken: input.kind === "go" ? input.taken : taken };
}

/** The state before the first position is known. @type {State} */
const NOWHERE = stateAt([], { scene: { sites: [], marks: {}, paths: [], note: "" }, actions: [], solved: false });

/** Whether a key may mean something at a position that is not known yet. @param {string} key */
const mayMean = (key) => key in SAME_KEYS || key in OTHER_KEYS || /^Arrow|^.$/u.test(key);

/**
 * Who knows where moves lead: the position after them, a sentence if this is not known, or nothing if nobody waits for
 * it any more; and what may be tried next, or nothing if there are no hints.
 * @typedef {{position: (taken: number[]) => Position | string | null | Promise<Position | string | null>,
 *   hint: (state: State) => Hint | null | Promise<Hint | null>}} Source
 */
/** @typedef {"moves" | "undos" | "restarts" | "hints" | "solved"} Done */
/**
 * The page around a player.
 * @typedef {object} View
 * @property {(state: State) => void} show shows a state, after each change of it
 * @property {(sites: string[]) => void} touch shows what is touched
 * @property {(sentence: string) => void} note
 * @property {(key: string) => void} go moves the cursor of the board
 * @property {() => string} here where the cursor is
 * @property {(site: string) => string} title
 * @property {(did: Done, text?: string) => void} did hears what the player did, before it is shown
 * @property {(input: Input) => Input | null} [before] says which input is meant instead of one; nothing to leave it out
 * @property {(work: () => Promise<void>) => Promise<unknown>} [around] does the work, and tells what fails
 */

/** One player at one board. Inputs that come while an earlier one is in work wait, and are done in their order. */
export class Player {
  /** @param {Source} source @param {View} view */
  constructor(source, view) {
    this.source = source; this.view = view;
    /** @type {State | null} */ this.state = null;
    /** @type {Input[]} */ this.waiting = [];
    /** @type {Promise<unknown> | null} What is in work. */ this.work = null;
    /** Hears that something is in work, or is done. */ this.changed = () => {};
    /** Counts what is begun: what an earlier one asked is of no use. */ this.begun = 0;
  }

  /** The actions that were taken, by number. */
  get taken() { return this.state?.taken ?? []; }
  get actions() { return this.state?.position.actions ?? []; }
  /** Whether there is a move to take back, or may be one soon. */
  get canUndo() { return this.taken.length > 0 || this.work !== null; }
  /** Whether the cursor of the board chooses what a key moves: not where each key makes one move at most. */
  get isPointed() {
    if (!this.state) return true;
    const { actions, solved } = this.state.position, keys = actions.flatMap((action) => action.keys);
    return !solved && (new Set(keys).size < keys.length || actions.some((action) => !action.keys.length));
  }
  get canHint() { return this.state?.position.solved !== true || this.work !== null; }

  /** Forget the game that is played. */
  leave() { this.begun += 1; this.state = null; this.waiting = []; this.work = null; this.changed(); }

  /** Begin a game, after actions. @param {number[]} [taken] */
  begin(taken = []) {
    this.leave();
    return this.do({ kind: "go", taken });
  }

  /** Do something now, or when what came before is done. @param {Input} input @returns {Promise<unknown>} */
  do(input) {
    // of places between which a slider moves only the last one counts
    if (input.kind === "go" && this.waiting.at(-1)?.kind === "go") this.waiting.pop();
    this.waiting.push(input);
    if (this.work) return this.work;
    const own = this.begun, around = this.view.around ?? ((/** @type {() => Promise<void>} */ work) => work());
    this.work = Promise.resolve().then(() => around(() => this.#all(own))).finally(() => {
      if (this.begun !== own) return;
      this.work = null;
      this.waiting = [];
      this.changed();
    });
    this.changed();
    return this.work;
  }

  /** Whether a key, or another input, is for the player. @param {Input} input */
  takes(input) {
    if (this.work) return input.kind !== "key" || this.#means(input) || mayMean(input.key);
    return this.#means(input);
  }

  /** @param {Input} input */
  #means(input) { return this.state !== null && stepped(this.state, input, this.view) !== null; }

  /** @param {number} own what was begun when the work was */
  async #all(own) {
    while (this.begun === own && this.waiting.length)
      await this.#one(/** @type {Input} */ (this.waiting.shift()), own);
  }

  /** @param {Input} input @param {number} own */
  async #one(input, own) {
    const { view, source } = this, meant = view.before ? view.before(input) : input;
    if (!meant) return;
    const state = this.state ?? NOWHERE, step = meant.kind === "go" || this.state ? stepped(state, meant, view) : null;
    if (!step) return;
    if (step.then) this.waiting.unshift(...step.then);
    if (step.cursor) view.go(step.cursor);
    if (step.did === "hints") return this.#hint(state, own);
    if (step.taken) return this.#go(step, step.taken, own);
    if (step.touched) {
      this.state = { ...state, touched: step.touched, held: step.held ?? -1 };
      view.touch(step.touched);
    }
    if (step.note) view.note(step.note);
  }

  /** Come to the position after moves. @param {Step} step @param {number[]} taken @param {number} own */
  async #go({ did, text }, taken, own) {
    const { view } = this, position = await this.source.position(taken);
    if (this.begun !== own || !position) return;
    if (typeof position === "string") {
      if (this.state) this.state = { ...this.state, touched: [], held: -1 };
      view.touch([]);
      view.note(position);
      return;
    }
    if (did) { view.note(""); view.did(did, text); }
    this.state = stateAt(taken, position);
    if (position.solved && did === "moves") view.did("solved");
    view.show(this.state);
  }

  /** Say what may be tried next. @param {State} state @param {number} own */
  async #hint(state, own) {
    const { view } = this, hint = await this.source.hint(state);
    if (this.begun !== own || !hint) return;
    view.did("hints");
    if ("sentence" in hint) return view.note(hint.sentence);
    const { sites, text } = state.position.actions[hint.number];
    view.touch(sites);
    view.note([say("Try: {move}.", { move: text }), hint.why].filter(Boolean).join(" "));
  }
}

/** Moves that are made by themselves, one after the other at equal times, to their end or until they are stopped. */
export class Moving {
  /**
   * @param {() => boolean} move makes the next move, and returns whether another one follows
   * @param {number} pause milliseconds before each move
   * @param {() => void} changed hears that they begin or end
   */
  constructor(move, pause, changed) {
    this.move = move; this.pause = pause; this.changed = changed;
    /** @type {ReturnType<typeof setInterval> | null} */ this.timer = null;
  }

  get isOn() { return this.timer !== null; }

  begin() {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = setInterval(() => { if (!this.move()) this.stop(); }, this.pause);
    this.changed();
  }

  /** Stop, and return whether there was something to stop. */
  stop() {
    if (this.timer === null) return false;
    clearInterval(this.timer);
    this.timer = null;
    this.changed();
    return true;
  }
}
