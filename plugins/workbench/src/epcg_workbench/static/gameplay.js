// The open file as a game: Play runs it from its title to its end, as its players will see it.
// @ts-check
import { $, attempt } from "./base.js";
import { GameRun, TITLE, goesOn, hasScreens } from "./game.js";
import { setMode } from "./tabs.js";

/** @typedef {import("./game.js").GamePart} Part */
/** @typedef {import("./game.js").Game} Game */

/** The game of the project's open file, beside the panel Play. */
export class GamePlay {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {Set<string>} The levels that were solved here, by the hash of their text. */ this.solved = new Set();
    /** Where the player was last. */ this.last = TITLE;
    this.run = new GameRun({
      place: $("game-screen"),
      isOn: () => this.#isOn && !document.querySelector("dialog[open], :popover-open"),
      solved: (at) => this.solved.has(this.#pieces[at]?.hash ?? ""),
      kept: () => this.last,
      level: (at) => attempt(() => state.panels.project.choose(at)),
      shown: (at, screen) => {
        if (screen?.kind !== "title") this.last = screen?.kind === "end" ? TITLE : at;
        this.#show();
        if (screen?.kind === "message" && state.panels.project.piece !== at)
          void attempt(() => state.panels.project.choose(at, false));
      },
    });
    $("run-title").onclick = () => this.run.open(this.#game(), TITLE);
    $("run-next").onclick = () => this.#goOn();
    document.addEventListener("keydown", (event) => this.#turn(event), true);
  }

  get #isOn() { return this.state.mode === "play" && !$("bench").hidden; }
  get #pieces() { return this.state.panels.project.sheet.pieces; }

  /** The open file as a game. @returns {Game} */
  #game() {
    const { file, sheet, word } = this.state.panels.project;
    const name = (file.split("/").at(-1) ?? "").replace(/\.[^.]*$/, "").replaceAll(/[-_]/g, " ");
    let level = 0;
    const parts = sheet.pieces.map(({ kind, text, title }) => {
      if (kind === "message") return /** @type {Part} */ ({ kind, text });
      level += 1;
      const own = `${word[0].toUpperCase()}${word.slice(1)} ${level}`;
      return /** @type {Part} */ ({ kind: "level", name: title ? `${own}: ${title}` : own });
    });
    return { title: sheet.title || `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, author: sheet.author, parts };
  }

  /** Whether what is on the board is a level of a file with more than that. */
  get #hasMore() {
    const { project } = this.state.panels;
    return Boolean(this.state.opened?.ofProject) && project.isOpen && hasScreens(this.#game());
  }

  /** A piece of the file was chosen: a message stands on the screen while one plays. @param {number} number */
  chose(number) {
    const isMessage = this.#pieces[number]?.kind === "message";
    if (this.run.screen && this.run.at === number && isMessage) return;
    if (isMessage && this.#isOn) return void this.run.open(this.#game(), number);
    this.run.game = this.#game();
    this.run.at = number;
    if (!isMessage) this.last = number;
    this.leave();
  }

  /** Another text is told: what stands on the screen follows it. */
  follow() {
    const { screen, at } = this.run;
    if (screen && this.#isOn) return void this.run.open(this.#game(), at);
    this.run.game = this.#game();
    this.#show();
  }

  /** Play is left, or a board takes the place of a screen. */
  leave() {
    if (this.run.screen) this.run.leave();
    this.#show();
  }

  /** A position is shown. @param {boolean} isSolved */
  played(isSolved) {
    const { project } = this.state.panels, hash = this.#pieces[project.level]?.hash;
    if (isSolved && hash && this.state.opened?.ofProject) this.solved.add(hash);
    this.#show();
  }

  /** Whether a solved level is on the board, and something follows it. */
  get #goes() {
    const { play } = this.state.panels;
    return this.#isOn && !this.run.screen && play.isWon && this.#hasMore;
  }

  /** Go on from a solved level. */
  #goOn() {
    if (!this.#goes) return false;
    this.run.open(this.#game(), this.state.panels.project.level + 1);
    return true;
  }

  /** Whether a key goes on. @param {string} key */
  key(key) { return goesOn(key) && this.#goOn(); }

  /** Whether a tap on the board goes on. */
  tap() { return this.#goOn(); }

  #show() {
    const isScreen = this.run.screen !== null;
    $("bench").classList.toggle("on-screen", isScreen);
    $("boards").hidden = isScreen;
    $("run-part").hidden = !this.#hasMore;
    $("run-next").hidden = !this.#goes;
    $("hint").hidden = this.#goes;
  }

  /** Ctrl Enter turns from the text to the game, and from the game to the text. @param {KeyboardEvent} event */
  #turn(event) {
    const { project, shop } = this.state.panels, isText = event.target === $("source");
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (!project.isOpen || !location.hash.startsWith("#file/") || $("bench").hidden) return;
    if (document.querySelector("dialog[open]") || shop.isOpen) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void attempt(() => (isText ? this.#play() : this.#text()));
  }

  /** Play the level at the caret. */
  async #play() {
    const { project } = this.state.panels, line = project.pane.line;
    const at = this.#pieces.findIndex(({ lines: [first, last] }) => first <= line && line <= last);
    if (at >= 0 && at !== project.piece) await project.choose(at, false);
    if (!this.state.opened?.playable) throw new Error("There is nothing to play: see what is wrong in the text.");
    if (this.state.mode !== "play") setMode(this.state, "play", true);
    if (this.#pieces[project.piece]?.kind === "message") this.chose(project.piece);
    if (!this.run.screen) $("board").focus({ preventScroll: true });
  }

  /** Go to the level in the text. */
  #text() {
    const { project } = this.state.panels, piece = this.#pieces[Math.max(0, project.piece)];
    if (!project.pane.isOpen) project.pane.toggle(true);
    if (piece) project.pane.go(piece.lines[0]); else $("source").focus();
  }
}
