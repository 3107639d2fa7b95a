// Play: a content is played by keys, touches and swipes; solutions are shown, and kept as notes of the project.
// @ts-check
import { one } from "./api.js";
import { Touches } from "./play.js";
import { PlayTest } from "./playtest.js";
import { counted, moves } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const STEP = 350,
  SWIPE = 24,
  SAME = { w: "ArrowUp", a: "ArrowLeft", s: "ArrowDown", d: "ArrowRight", " ": "x", Enter: "x" };

/** The panel of the mode Play. `page` is what it needs of the page: see app.js. */
export class PlayPanel {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    /** @type {number[]} The actions that are taken, by number. */ this.taken = [];
    /** @type {any[]} */ this.actions = [];
    /** @type {number[]} */ this.solution = [];
    /** @type {any} */ this.timer = null;
    this.hand = new Touches(page.board, (number) => this.take(number), page.note);
    this.test = new PlayTest(page, () => this.taken.length);
    $("play-undo").onclick = () => this.undo();
    $("restart").onclick = () => this.#again();
    $("warn").onchange = () => this.position();
    $("hint").onclick = () => page.attempt(() => this.#hint());
    $("show-solution").onclick = () => page.attempt(() => this.#solve());
    $("slider").oninput = () => {
      this.#pause();
      this.#slide();
    };
    $("slider-play").onclick = () => (this.timer ? this.#pause() : this.#run());
    $("keep-note").onclick = () => page.attempt(() => this.#keep());
    document.addEventListener("keydown", (event) => this.#key(event), true);
    this.#swipes();
  }

  get #isOn() {
    return this.page.mode() === "play" && !$("bench").hidden;
  }

  /** Stop what plays by itself, and forget the solution: another content, or another mode. */
  leave() {
    this.test.close();
    this.#still();
  }

  #still() {
    this.#pause();
    this.solution = [];
    $("slider-part").hidden = true;
  }

  /** Begin a content. */
  async restart() {
    await Promise.all([this.page.attempt(() => this.test.begin()), this.#first()]);
  }

  /** Go back to the start. */
  async #again() {
    this.test.restarted();
    await this.#first();
  }

  async #first() {
    this.#still();
    this.taken = [];
    await Promise.all([this.position(), this.page.attempt(() => this.#notes())]);
  }

  /** @param {number} number */
  async take(number) {
    this.#pause();
    this.page.note("");
    this.test.count("moves", this.actions[number]?.text);
    this.taken = [...this.taken, number];
    await this.position();
  }

  /** Take back one move; the drawing stays. */
  async undo() {
    this.#pause();
    if (!this.taken.length) return;
    this.test.count("undos");
    this.taken = this.taken.slice(0, -1);
    await this.position();
  }

  /** Show where the moves so far lead. */
  async position() {
    const { attempt, bench, board, el } = this.page,
      { taken } = this,
      { domain, text, palette } = bench();
    const message = await attempt(() => one("play", { domain, text, taken, warn: $("warn").checked }));
    if (message?.solved && this.taken === taken) this.test.finished();
    if (!message || this.taken !== taken || bench().text !== text || !this.#isOn) return;
    this.actions = this.hand.actions = message.actions;
    this.hand.reset();
    const dead = message.dead ?? [],
      lost = dead.length && dead.every((/** @type {any} */ each) => each === true);
    board.heat = new Map();
    board.show(message.scene, palette);
    const rest = !message.actions.length ? "There is no move left." : lost ? message.lost : "";
    $("play-state").textContent = message.solved
      ? `Solved in ${moves(taken.length)}.`
      : `${moves(taken.length)}. ${rest} ${message.scene.note}`;
    $("play-undo").disabled = !taken.length;
    this.page.moved();
    $("keep-note").disabled = !taken.length;
    $("keep-note").textContent = message.solved ? "Keep the solution as a note" : "Keep as a note";
    $("actions").replaceChildren(
      ...message.actions.map((/** @type {any} */ action, /** @type {number} */ number) =>
        el(
          "li",
          { class: dead[number] ? "dead" : "" },
          el("button", { onclick: () => this.take(number) }, action.text),
          dead[number] ? " – loses" : "",
        ),
      ),
    );
  }

  async #hint() {
    const { bench, note } = this.page,
      { domain, text } = bench(),
      { taken } = this;
    const found = await one("solve", { domain, text, taken });
    if (taken !== this.taken) return;
    this.test.count("hints");
    if (found.solution === null) note(`From here: ${found.reason}.`);
    else note(found.solution.length ? `Try: ${this.actions[found.solution[0]].text}.` : "It is solved.");
  }

  // ---- a solution that plays itself

  async #solve() {
    const { domain, text } = this.page.bench();
    const found = await one("solve", { domain, text, taken: [] });
    if (text !== this.page.bench().text || !this.#isOn) return;
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
    this.#run();
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
    this.taken = this.solution.slice(0, at);
    await this.position();
  }

  /** Make one move after the other until the end, or until one pauses. */
  #run() {
    if (Number($("slider").value) >= this.solution.length) $("slider").value = "0";
    const own = (this.timer = setInterval(async () => {
      $("slider").value = String(Number($("slider").value) + 1);
      if (Number($("slider").value) >= this.solution.length) this.#pause();
      else if (this.timer !== own) return;
      await this.#slide();
    }, STEP));
    this.#told();
  }

  #pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.#told();
  }

  #told() {
    $("slider-play").textContent = this.timer ? "Pause" : "Play it";
  }

  // ---- notes

  async #keep() {
    const { taken } = this,
      solved = $("play-state").textContent.startsWith("Solved");
    await this.#notes({ keep: { taken, words: $("note-words").value } });
    $("note-words").value = "";
    this.page.note(solved ? "The solution is kept in the project." : "The position is kept in the project.");
  }

  /** List the notes of the content, after a change of them. @param {any} [change] */
  async #notes(change = {}) {
    const { bench, el, attempt, hasProject } = this.page,
      { domain, text } = bench();
    $("notes-part").hidden = !hasProject();
    if (!hasProject()) return;
    const { notes } = await one("project_notes", { domain, text, ...change });
    if (bench().text !== text) return;
    $("notes").replaceChildren(
      ...notes.map((/** @type {any} */ note) => {
        const what = note.solved ? `Solved in ${moves(note.taken.length)}` : `After ${moves(note.taken.length)}`;
        const words = [what, note.words].filter(Boolean).join(": ");
        const go = () => {
          this.test.look(false);
          this.#offer(note.taken);
          $("slider").value = note.taken.length;
          this.#pause();
          return this.#slide();
        };
        const drop = () => attempt(() => this.#notes({ drop: note.id }));
        const label = `Delete the note “${words}”`;
        const remove = el("button", { class: "link", title: label, "aria-label": label, onclick: drop }, "×");
        return el("li", {}, el("button", { class: "link", title: note.at, onclick: go }, words), remove);
      }),
    );
  }

  // ---- keys and swipes

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { target } = event;
    const isTyped =
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement && target.type !== "checkbox");
    if (!this.#isOn || isTyped || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isPress =
      (key === " " || key === "Enter") &&
      target instanceof HTMLElement &&
      target.closest("button, a, summary, input");
    if (isPress) return;
    if (this.#does(key, event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Do what a key means; whether it means something. @param {string} key @param {boolean} withControl */
  #does(key, withControl) {
    if (withControl) {
      if (key !== "z") return key === "y";
      void this.undo();
      return true;
    }
    if (this.page.held(key)) return true;
    const other = SAME[/** @type {keyof typeof SAME} */ (key)];
    if (this.hand.key(key) || (other && this.hand.key(other))) return true;
    if (key === "z" || key === "u" || key === "Backspace") {
      void this.undo();
      return true;
    }
    if (key === "r") {
      void this.#again();
      return true;
    }
    return false;
  }

  /** A swipe anywhere is an arrow key, where that makes a move. */
  #swipes() {
    /** @type {PointerEvent | null} */ let from = null;
    const part = $("bench");
    part.addEventListener(
      "pointerdown",
      (/** @type {PointerEvent} */ event) => {
        from = this.#isOn && event.pointerType !== "mouse" && event.isPrimary ? event : null;
      },
      true,
    );
    part.addEventListener(
      "pointerup",
      (/** @type {PointerEvent} */ event) => {
        if (!from || event.pointerId !== from.pointerId) return;
        const [x, y] = [event.clientX - from.clientX, event.clientY - from.clientY];
        from = null;
        if (Math.max(Math.abs(x), Math.abs(y)) < SWIPE || event.target instanceof HTMLInputElement) return;
        const key =
          Math.abs(x) > Math.abs(y) ? (x > 0 ? "ArrowRight" : "ArrowLeft") : y > 0 ? "ArrowDown" : "ArrowUp";
        if (this.hand.key(key)) {
          this.page.board.drop();
          event.stopPropagation();
        }
      },
      true,
    );
  }
}
