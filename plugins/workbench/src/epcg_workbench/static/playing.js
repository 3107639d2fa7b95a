// Play: a content is played by keys, touches and swipes; solutions are shown, and kept as notes of the project.
// @ts-check
import { one } from "./api.js";
import { $, attempt, el, note } from "./base.js";
import { bindInputs } from "./inputs.js";
import { Moving, Player, isBegun, told } from "./play.js";
import { PlayTest } from "./playtest.js";
import { counted, moves } from "./words.js";

/** @typedef {import("./play.js").State} Played */
/** @typedef {import("./play.js").Input} Input */
/** @typedef {{id: string, at: string, words: string, taken: number[], solved: boolean}} Note a position that is kept */

/** How long each move of a solution is shown. */
const STEP = 350;

/** What keys do that only some games have, and what they do in all games where arrows move something. */
const OWN_KEYS = [["x", "X acts"], ["t", "T waits a tick"], ["c", "C restarts at the checkpoint"]];
const MOVED = ["Arrow keys or WASD move", "Z or U takes back", "R restarts", "H hints"];
/** What they do where places of the board are touched. */
const TOUCHED = "Touch the board, or go to a place by the arrow keys and press Enter; Z or U takes back, R restarts, "
  + "H hints.";

/** What is said while the server looks for a solution, and for what may be tried next. */
const LOOKING = "Looking for a solution …", HINTING = "Looking for a hint …";

/** The panel of the mode Play. */
export class PlayPanel {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {number[]} */ this.solution = [];
    /** The keys of the moves that there were. @type {Set<string>} */ this.keys = new Set();
    /** Whether each move is a place or two of the board: a list of all moves then says little. */
    this.isPointed = false;
    this.moving = new Moving(() => this.#next(), STEP, () => this.#told());
    const { board } = state;
    this.player = new Player(
      { position: (taken) => this.#position(taken), hint: (played) => this.#hint(played) },
      {
        note,
        show: (played) => this.#show(played),
        touch: (sites) => board.touch(sites),
        go: (key) => board.go(key),
        here: () => board.here,
        title: (site) => board.title_(site),
        did: (what, text) => this.#did(what, text),
        before: (input) => this.#before(input),
        around: (work) => attempt(work),
      },
    );
    this.test = new PlayTest(state, () => this.taken.length);
    const buttons = { undo: $("play-undo"), restart: $("restart"), hint: $("hint") };
    const held = (/** @type {string} */ key) => state.panels.game.key(key) || state.panels.casting.key(key);
    bindInputs(this.player, {
      board, isOn: () => this.#isOn, held, buttons,
      changed: () => state.panels.past.show(), beyond: (how) => state.panels.past[how](),
    });
    $("warn").onchange = () => this.player.do({ kind: "look" });
    $("show-solution").onclick = () => attempt(() => this.#solve());
    $("slider").oninput = () => {
      this.moving.stop();
      void this.#slide();
    };
    $("slider-play").onclick = () => this.moving.stop() || this.#run();
    $("keep-note").onclick = () => attempt(() => this.#keep());
  }

  get taken() {
    return this.player.taken;
  }
  get canUndo() {
    return this.player.canUndo;
  }
  get actions() {
    return this.player.actions;
  }

  /** Whether what is shown is solved. */
  get isWon() {
    return this.player.state?.position.solved === true;
  }

  get #isOn() {
    return this.state.mode === "play" && !$("bench").hidden;
  }

  /** Stop what plays by itself, and forget the solution: another content, or another mode. */
  leave() {
    this.state.panels.game.leave();
    this.test.close();
    this.player.leave();
    this.#still();
  }

  #still() {
    $("gif-said").hidden = true;
    this.keys.clear();
    this.moving.stop();
    this.solution = [];
    $("slider-part").hidden = true;
  }

  /** Begin a content. */
  async restart() {
    this.#still();
    await Promise.all([attempt(() => this.test.begin()), this.player.begin(), attempt(() => this.#notes())]);
  }

  /** Take back one move; the drawing stays. */
  undo() {
    return this.player.do({ kind: "undo" });
  }

  // ---- what the player asks, and what it tells

  /** Ask where moves lead. @param {number[]} taken */
  async #position(taken) {
    const { domain, text } = this.state.bench,
      isWarned = $("warn").checked;
    const found = await one("play", { domain, text, taken, warn: isWarned });
    if (this.state.bench.text !== text || !this.#isOn) return null;
    const { scene, actions, solved, dead = [], lost } = found;
    if (found.written) this.state.panels.changes.intended.played(found.written);
    const isLost = dead.length > 0 && dead.every((each) => each === true);
    return { scene, actions, solved, dead, rest: isLost ? lost : "" };
  }

  /** Ask what may be tried next. @param {Played} played */
  async #hint({ taken }) {
    const { domain, text } = this.state.bench;
    note(HINTING);
    const { solution, reason, why } = await one("solve", { domain, text, taken }).finally(() => {
      if ($("note").textContent === HINTING) note("");
    });
    return solution?.length ? { number: solution[0], why } : { sentence: `From here: ${reason}.` };
  }

  /**
   * A stroke with a piece in hand lays it, and any input ends what plays by itself.
   * @param {Input} input @returns {Input | null}
   */
  #before(input) {
    if (input.kind !== "go") this.moving.stop();
    if (input.kind === "restart") this.#still();
    const isTap = input.kind === "stroke" && input.sites.length === 1 && !input.swipe && !input.line;
    if (isTap && this.state.panels.game.tap()) return null;
    const number = input.kind === "stroke" ? this.state.panels.casting.lay(input.sites) : undefined;
    if (number === undefined) return input;
    return number < 0 ? null : { kind: "take", number };
  }

  /** @param {"moves" | "undos" | "restarts" | "hints" | "solved"} what @param {string} [text] */
  #did(what, text) {
    if (what === "solved") this.test.finished();
    else if (what === "restarts") this.test.restarted();
    else this.test.count(what, text);
  }

  /** @param {Played} played */
  #show(played) {
    const { bench, board, panels } = this.state,
      { taken, position } = played,
      { scene, actions, solved, dead = [] } = position;
    board.heat = new Map();
    board.show(scene, bench.palette);
    $("play-state").textContent = told(played);
    panels.past.show();
    panels.share.follow(taken.length);
    panels.game.played(solved && !this.test.shown);
    void panels.casting.follow();
    $("keep-note").disabled = !taken.length;
    $("keep-note").textContent = solved ? "Keep the solution as a note" : "Keep as a note";
    if (actions.length) {
      const isArrow = (/** @type {string} */ key) => key.startsWith("Arrow");
      const isTouched = actions.every(({ sites, keys }) => sites.length && !keys.some(isArrow));
      const isPointed = isTouched && actions.every(({ sites }) => sites.length < 3);
      for (const { keys } of actions) for (const key of keys) this.keys.add(key);
      const isMoved = !isTouched || isBegun(played);
      $("play-keys").textContent = isMoved ? this.#moved() : TOUCHED;
      $("play-swipes").textContent = !isMoved ? "" : "Swipe anywhere on the page to move.";
      if (isPointed !== this.isPointed) $("actions-part").open = !isPointed;
      this.isPointed = isPointed;
    }
    const take = (/** @type {number} */ number) => () => this.player.do({ kind: "take", number });
    $("actions").replaceChildren(
      ...actions.map(({ text }, number) =>
        el(
          "li",
          { class: dead[number] ? "dead" : "" },
          el("button", { onclick: take(number) }, text),
          dead[number] ? " – loses" : "",
        ),
      ),
    );
  }

  /** What the keys of a game do, as far as it has them. */
  #moved() {
    const [first, ...rest] = MOVED, own = OWN_KEYS.flatMap(([key, words]) => (this.keys.has(key) ? [words] : []));
    return `${[first, ...own, ...rest].join(", ")}; swipes do, too.`;
  }

  // ---- a solution that plays itself

  async #solve() {
    const { domain, text } = this.state.bench;
    $("play-state").textContent = LOOKING;
    const found = await one("solve", { domain, text, taken: [] }).finally(() => {
      if (this.player.state && $("play-state").textContent === LOOKING)
        $("play-state").textContent = told(this.player.state);
    });
    if (text !== this.state.bench.text || !this.#isOn) return;
    if (found.solution === null) {
      const many = counted(found.expansions, "position");
      $("play-state").textContent = `${found.reason?.slice(0, 1).toUpperCase()}${found.reason?.slice(1)}, ${many}.`;
      return;
    }
    this.test.look();
    await this.show(found.solution);
  }

  /** Let a solution play itself from the start. @param {number[]} solution */
  async show(solution) {
    this.#offer(solution);
    await this.#slide();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.#run(); // else a button begins it
  }

  /** @param {number[]} solution */
  #offer(solution) {
    this.solution = solution;
    $("slider-part").hidden = false;
    $("slider").max = String(solution.length);
    $("slider").value = "0";
  }

  async #slide() {
    const at = Number($("slider").value);
    $("slider-at").textContent = `${at} of ${this.solution.length}`;
    await this.player.do({ kind: "go", taken: this.solution.slice(0, at) });
  }

  /** Make one move after the other until the end, or until one pauses. */
  #run() {
    if (Number($("slider").value) >= this.solution.length) $("slider").value = "0";
    this.moving.begin();
  }

  /** Make the next move, and return whether another one follows. */
  #next() {
    $("slider").value = String(Number($("slider").value) + 1);
    void this.#slide();
    return Number($("slider").value) < this.solution.length;
  }

  #told() {
    $("slider-play").textContent = this.moving.isOn ? "Pause" : "Play it";
  }

  // ---- notes

  async #keep() {
    const { taken } = this,
      solved = this.player.state?.position.solved;
    await this.#notes({ keep: { taken, words: $("note-words").value } });
    $("note-words").value = "";
    note(solved ? "The solution is kept in the project." : "The position is kept in the project.");
  }

  /** List the notes of the content, after a change of them. @param {object} [change] */
  async #notes(change = {}) {
    const { domain, text } = this.state.bench, hasProject = this.state.settings.project;
    $("notes-part").hidden = !hasProject;
    if (!hasProject) return;
    const { notes } = await one("project_notes", { domain, text, ...change });
    if (this.state.bench.text !== text) return;
    $("notes").replaceChildren(
      ...notes.map((kept) => {
        const what = kept.solved ? `Solved in ${moves(kept.taken.length)}` : `After ${moves(kept.taken.length)}`;
        const words = [what, kept.words].filter(Boolean).join(": ");
        const go = () => {
          this.test.look(false);
          this.#offer(kept.taken);
          $("slider").value = String(kept.taken.length);
          this.moving.stop();
          return this.#slide();
        };
        const drop = () => attempt(() => this.#notes({ drop: kept.id }));
        const label = `Delete the note “${words}”`;
        const remove = el("button", { class: "link", title: label, "aria-label": label, onclick: drop }, "×");
        return el("li", {}, el("button", { class: "link", title: kept.at, onclick: go }, words), remove);
      }),
    );
  }
}
