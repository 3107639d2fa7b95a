// What can be said at once of a game that is drawn: whether it can be solved, and which kinds of puzzles it has.
// @ts-check
import { ask, isLost } from "./api.js";
import { $, attempt, el, sentence, trouble } from "./base.js";
import { asked, questionList } from "./further.js";
import { pictureOf } from "./pictures.js";
import { counted } from "./words.js";
import { radios } from "./workshop_settings.js";

const AFTER = 350;

export class WorkshopAnswer {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {AbortController | null} */ this.asked = null;
    this.text = ""; this.timer = 0;
    /** @type {GameKind[]} */ this.kinds = [];
    this.kind = ""; this.picked = false; this.isGame = false;
    /** @type {GameQuestion[]} */ this.questions = [];
    /** @type {(() => void)[]} What waits until all is told of the game as it is. */ this.waiting = [];
    $("shop-add-puzzle").onclick = () => attempt(() => this.#add());
    $("shop-ask").onclick = () => attempt(() => this.#draft(() => this.#chosen()?.question, this.#isFew));
    $("shop-blind").onchange = () => { if ($("shop-blind").checked !== $("blind").checked) $("blind").click(); };
    $("blind").addEventListener("change", () => this.#hide());
    $("unblind").addEventListener("click", () => this.#hide());
  }

  /** Ask again a moment later, if the game is another one; until then all is shown as a thing of the past. */
  follow() {
    this.#hide();
    const { text } = this.state.panels.project;
    if (text === this.text) return;
    this.text = text;
    this.asked?.abort();
    clearTimeout(this.timer);
    $("shop-verdict").classList.add("past");
    $("shop-kinds").classList.add("past");
    $("shop-wait").hidden = false;
    this.timer = setTimeout(() => this.#ask(), AFTER);
  }

  /** Choose the usual kind of puzzle again: the game is another one. */
  fresh() { this.picked = false; }

  async #ask() {
    const own = (this.asked = new AbortController()), { project } = this.state.panels;
    const { domain, format, text, file } = project, current = () => !own.signal.aborted && text === project.text;
    const request = { domain, format, text, file };
    try {
      for await (const found of ask("workshop_answer", request, own.signal)) {
        if (current() && !found.stopped) this.#say(found);
      }
      /** @type {GameQuestion[]} */ const questions = [];
      for await (const found of ask("workshop_questions", request, own.signal)) if (found.title) questions.push(found);
      if (current()) this.#further(questions);
      /** @type {GameKind[]} */ const kinds = [];
      for await (const found of ask("workshop_kinds", request, own.signal)) if (found.title) kinds.push(found);
      if (current()) this.#offer(kinds);
    } catch (error) {
      if (!current()) return;
      if (isLost(error)) trouble(error);
      else {
        this.#say({ title: "Not a game yet", solved: null, about: sentence(error), facts: [], svg: "" });
        this.#offer([]);
        this.#further([]);
      }
    } finally {
      if (this.asked === own) {
        $("shop-wait").hidden = true;
        for (const go of this.waiting.splice(0)) go();
      }
    }
  }

  /** Wait until all that was painted is in the file, and what is told is of that. */
  async #told() {
    const { project, shop } = this.state.panels;
    await shop.working;
    await project.flush();
    if (this.text !== project.text) this.follow();
    if (!$("shop-wait").hidden) await new Promise((resolve) => { this.waiting.push(() => resolve(null)); });
  }

  /** @param {GameAnswer} answer */
  #say({ title, solved, about, facts, svg }) {
    this.isGame = solved !== null || facts.length > 0;
    const state = solved === null ? "open" : solved ? "yes" : "no";
    $("shop-verdict").className = state;
    $("shop-sign").textContent = { yes: "✓", no: "✕", open: "?" }[state];
    $("shop-title").textContent = title;
    $("shop-about").textContent = about;
    const picture = () => el("img", { alt: "a solution", draggable: "false", src: pictureOf(svg) });
    $("shop-solved").replaceChildren(...(svg ? [picture()] : []));
    const sign = () => el("span", { class: "bad", role: "img", "aria-label": "in the way" }, "✕ ");
    const told = (/** @type {GameAnswer["facts"][0]} */ { value, problem }) =>
      el("dd", { class: problem ? "bad" : "" }, ...(problem ? [sign()] : []), value);
    $("shop-facts").replaceChildren(...facts.map((fact) => el("div", {}, el("dt", {}, fact.title), told(fact))));
  }

  // ---- kinds of puzzles

  /** @returns {GameKind | undefined} */
  #chosen() { return this.kinds.find((each) => each.title === this.kind) ?? this.kinds[0]; }

  /** Add a puzzle of the chosen kind, of the game as it is. */
  async #add() {
    await this.#told();
    const { example = "" } = this.#chosen() ?? {};
    if (!example) throw new Error("The game has no such puzzle any more.");
    await this.state.panels.project.acts.insert(example);
  }

  /** Whether the chosen kind has so few puzzles that they could be counted here: all are tried at one press. */
  get #isFew() { return typeof this.#chosen()?.puzzles === "number"; }

  /**
   * Have the page that asks open, about the game as it is.
   * @param {() => string | undefined} question @param {boolean} [begins] whether it is asked at once
   */
  async #draft(question, begins = false) {
    await this.#told();
    const text = question();
    if (!text) throw new Error("The game is another one now, and this is no question of it any more.");
    asked(this.state, text, begins);
  }

  /** @param {GameKind[]} kinds */
  #offer(kinds) {
    this.kinds = this.isGame ? kinds : [];
    $("shop-kinds").className = "";
    $("shop-kinds").hidden = !this.kinds.length;
    if (!this.kinds.length) return;
    const usual = kinds.find((each) => each.proper && each.puzzles !== 1) ?? kinds[0];
    if (!this.picked || !kinds.some((each) => each.title === this.kind)) this.kind = usual.title;
    const held = $("shop-kind-list").contains(document.activeElement);
    const made = kinds.map((each) => {
      const about = { role: "radio", class: "kind", "aria-checked": String(each.title === this.kind) };
      return el("button", { ...about, onclick: () => this.#pick(each.title) },
        el("span", { class: "dot", "aria-hidden": "true" }),
        el("span", {}, el("b", {}, each.title), el("small", {}, many(each.puzzles))),
        el("small", { class: "ways" }, each.proper === each.puzzles && kinds.length > 1 ? "" : ways(each.proper)));
    });
    $("shop-kind-list").replaceChildren(...made);
    radios($("shop-kind-list"), made);
    if (held) made.find((each) => each.tabIndex === 0)?.focus();
    const { proper, puzzles, example, question } = this.#chosen() ?? usual;
    $("shop-add-puzzle").hidden = !example;
    $("shop-ask").hidden = !question || !proper;
    $("shop-ask").textContent = this.#isFew ? "Try all" : "Ask about them …";
    $("shop-keep").textContent = !proper ? "None of these has one way: choose another kind, or change the game."
      : proper === puzzles ? "each of them has one way"
        : "and keep those that have one way; what turns and mirror images make equal counts once";
  }

  /** @param {string} title */
  #pick(title) { Object.assign(this, { kind: title, picked: true }); this.#offer(this.kinds); }

  /** Offer the questions by which a designer goes on. @param {GameQuestion[]} questions */
  #further(questions) {
    this.questions = questions;
    const draft = (/** @type {string} */ title) => attempt(() => this.#draft(
      () => this.questions.find((each) => each.title === title)?.question));
    questionList($("shop-more"), $("shop-questions"), questions, (each) => draft(each.title));
  }

  #hide() {
    $("shop-blind").checked = $("blind").checked;
    $("shop-solved").hidden = $("blind").checked;
  }
}

/** @param {number | null} puzzles */
function many(puzzles) {
  return puzzles === null ? "too many to be counted here" : counted(puzzles, "puzzle");
}

/** @param {number | null} proper */
function ways(proper) {
  return proper === null ? "" : counted(proper, "has one way", "have one way");
}
