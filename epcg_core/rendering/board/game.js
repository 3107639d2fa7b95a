// A game as its player sees it: its title, its messages as screens, its levels, its end. Nothing here knows a page.
// @ts-check
import { isOther } from "./inputs.js";
import { say } from "./texts.js";

/** @typedef {{kind: "message", text: string} | {kind: "level", name: string}} GamePart */
/** @typedef {{title: string, author: string, parts: GamePart[]}} Game */
/** @typedef {{words: string, at: number}} Choice where a button leads, and what it says */
/**
 * What stands in place of a board; the first choice is that of a key or a touch.
 * @typedef {{kind: "title" | "message" | "end", heading: string, lines: string[], choices: Choice[]}} GameScreen
 */

/** The place before the first part of a game; the place behind its last part is the number of its parts. */
export const TITLE = -1;

/** The places of the levels of a game. @param {Game} game */
export const levelsOf = ({ parts }) => parts.flatMap(({ kind }, at) => (kind === "level" ? [at] : []));

/** The name of the level at a place of a game; '' if there is none. @param {Game} game @param {number} at */
export function nameOf({ parts }, at) {
  const part = parts[at];
  return part?.kind === "level" ? part.name : "";
}

/** Where a level begins for its player: at the messages before it. @param {Game} game @param {number} level */
export function beginOf({ parts }, level) {
  let at = level;
  while (parts[at - 1]?.kind === "message") at -= 1;
  return at;
}

/**
 * Whether a game has anything but one level: a page of one level needs no title.
 * @param {Game} game
 */
export const hasScreens = ({ parts }) => parts.length > 1;

/**
 * What stands on the screen at a place of a game; nothing at a level.
 * @param {Game} game @param {number} at @param {(at: number) => boolean} solved whether the level at a place is solved
 * @param {number} [kept] the place where the player was last
 * @returns {GameScreen | null}
 */
export function screenAt(game, at, solved, kept = TITLE) {
  const { parts, title, author } = game, part = parts[at];
  if (part?.kind === "level") return null;
  const on = [{ words: say("Go on"), at: at + 1 }];
  if (part) return { kind: "message", heading: "", lines: part.text.split("\n"), choices: on };
  if (at < 0) {
    const level = parts.findIndex(({ kind }, place) => kind === "level" && place >= kept);
    const goes = kept > 0 && level >= 0 && beginOf(game, level) > 0;
    const first = goes ? [{ words: say("Go on: {level}", { level: nameOf(game, level) }), at: kept }] : [];
    const begin = { words: goes ? say("From the beginning") : say("Begin"), at: 0 };
    return { kind: "title", heading: title, lines: author ? [say("by {author}", { author })] : [], choices: [...first, begin] };
  }
  const levels = levelsOf(game), open = levels.filter((each) => !solved(each)), done = levels.length - open.length;
  const all = levels.length > 1 ? say("All are solved.") : say("It is solved.");
  const lines = [open.length ? say("{done} of {all} solved.", { done, all: levels.length }) : all];
  const rest = open.length ? [{ words: say("Go to {level}", { level: nameOf(game, open[0]) }), at: beginOf(game, open[0]) }] : [];
  return { kind: "end", heading: say("The end"), lines, choices: [...rest, { words: say("Back to the title"), at: TITLE }] };
}

/** Keys that go on, on a screen and after a level is solved. */
const GOES_ON = ["x", "X", "Enter", " "];

/** Whether a key goes on. @param {string} key */
export const goesOn = (key) => GOES_ON.includes(key);

/**
 * The page around a game.
 * @typedef {object} GameView
 * @property {HTMLElement} place where screens are shown
 * @property {() => boolean} isOn whether the game is played now
 * @property {(at: number) => boolean} solved
 * @property {() => number} kept the place where the player was last
 * @property {(at: number) => unknown} level shows the level at a place
 * @property {(at: number, screen: GameScreen | null) => void} shown hears where the player is
 */

/** One run of a game: where its player is, and what leads from one place to the next. */
export class GameRun {
  /** @param {GameView} view */
  constructor(view) {
    this.view = view;
    /** @type {Game} */ this.game = { title: "", author: "", parts: [] };
    /** Where the player is. */ this.at = TITLE;
    /** @type {GameScreen | null} */ this.screen = null;
    /** Whether the pointer that was pressed last was not on a screen. */ this.isElsewhere = false;
    // The tap that leads from a board to a screen ends in a click, which browsers give to what stands there by then.
    document.addEventListener("pointerdown", ({ target }) => {
      this.isElsewhere = !(target instanceof Node && view.place.contains(target));
    }, true);
    view.place.addEventListener("click", (event) => {
      if (this.isElsewhere && event.detail) event.stopPropagation();
      this.isElsewhere = false;
    }, true);
    view.place.addEventListener("click", (event) => {
      const isButton = event.target instanceof Element && event.target.closest("button");
      if (!isButton) this.goOn();
    });
    document.addEventListener("keydown", (event) => this.#key(event), true);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.repeat, { target } = event;
    if (!this.screen || isHeld || event.defaultPrevented || !goesOn(event.key) || !this.view.isOn()) return;
    if (isOther(event) || (target instanceof Element && target.closest("dialog"))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.goOn();
  }

  /** Run a game from a place. @param {Game} game @param {number} [at] */
  open(game, at = TITLE) {
    this.game = game;
    return this.go(at);
  }

  /** Run another text of the same game, at the same place. @param {Game} game @param {number} at */
  follow(game, at) {
    this.game = game;
    this.at = at;
    if (this.screen && this.screen.kind === "message" && game.parts[at]?.kind !== "message") this.leave();
  }

  /** Go to a place. @param {number} at */
  go(at) {
    const { game, view } = this;
    this.at = Math.max(TITLE, Math.min(at, game.parts.length));
    this.screen = screenAt(game, this.at, view.solved, view.kept());
    this.#draw();
    view.shown(this.at, this.screen);
    return this.screen ? undefined : view.level(this.at);
  }

  /** Go to the place behind the one that is shown. */
  next() { return this.go(this.at + 1); }

  /** Take the first choice of a screen. */
  goOn() {
    const first = this.screen?.choices[0];
    return first && this.go(first.at);
  }

  /** Show no screen any more. */
  leave() {
    this.screen = null;
    this.#draw();
  }

  #draw() {
    const { place } = this.view, { screen } = this;
    place.hidden = !screen;
    place.className = `game-screen ${screen?.kind ?? ""}`.trim();
    if (!screen) return place.replaceChildren();
    const { heading, lines, choices } = screen;
    /** @param {string} kind @param {string} words */
    const said = (kind, words) => Object.assign(document.createElement(kind), { textContent: words });
    const buttons = choices.map(({ words, at }, number) => {
      const button = document.createElement("button");
      button.textContent = words;
      button.className = number ? "" : "primary ready";
      button.onclick = () => this.go(at);
      return button;
    });
    const row = document.createElement("p");
    row.append(...buttons);
    place.replaceChildren(...(heading ? [said("h2", heading)] : []), ...lines.map((line) => said("p", line)), row);
    if (this.view.isOn()) buttons[0]?.focus({ preventScroll: true });
    return undefined;
  }
}
