// The solution that a designer intends, which measures of changes ask for: the first shortest one, the one that was
// played last, or one that is kept as a note.
// @ts-check
import { one } from "./api.js";
import { attempt, el } from "./base.js";
import { moves } from "./words.js";

const EVALUATORS = new Set(["intended_solution", "other_solutions"]);
const FIRST = "the first shortest one of this";

/** A choice of the intended solution, shown if a wish asks for it. */
export class Intended {
  /** @param {State} state @param {() => void} changed */
  constructor(state, changed) {
    this.state = state;
    /** What was played last, by domain. @type {Map<string, string>} */ this.last = new Map();
    /** The text of what is chosen; '' for the first shortest one. */ this.text = "";
    /** The text of each choice, and what it is called. @type {Map<string, string>} */ this.known = new Map();
    this.choice = el("select", { id: "intended" });
    this.choice.onchange = () => { this.text = this.choice.value; changed(); };
    const label = el("label", { for: "intended" }, "Intended solution");
    this.part = el("div", { class: "fields", id: "intended-part", hidden: true }, label, this.choice);
  }

  /** Remember the solution that was played. @param {string} written */
  played(written) {
    const { domain } = this.state.bench;
    if (written) this.last.set(domain, written);
  }

  /**
   * Show the choice if a wish asks for a solution.
   * @param {import("./wish.js").WishForm} form @param {boolean} [again] whether to look again for what may be chosen
   */
  follow(form, again = false) {
    const { metric, where, then } = form.wish, names = [metric, ...where.map((each) => each.metric), ...then];
    const isAsked = names.some((each) => EVALUATORS.has(form.measure(each)?.evaluator ?? ""));
    if (isAsked && (again || this.part.hidden)) void attempt(() => this.#list());
    this.part.hidden = !isAsked;
  }

  /** What requests say of it. */
  get request() {
    return this.part.hidden || !this.text ? {} : { solution: this.text };
  }

  /** List the solutions that are known of what stands on the board. */
  async #list() {
    const { bench, settings } = this.state, { domain, text } = bench, played = this.last.get(domain);
    /** @type {Map<string, string>} */ const known = new Map();
    const add = (/** @type {string} */ written, /** @type {string} */ name) => {
      known.set(written, `${name} (${moves(written.split(", ").length)})`);
    };
    if (played) add(played, "the one played last");
    if (settings.project) {
      const { notes } = await one("project_notes", { domain, text });
      for (const { solved, taken, words } of notes.filter((each) => each.solved)) {
        const { written } = solved ? await one("play", { domain, text, taken }) : { written: "" };
        if (written) add(written, words || "a solution kept as a note");
      }
    }
    if (this.text && !known.has(this.text)) add(this.text, "the one chosen before");
    if (this.state.bench.text !== text) return;
    const options = [["", `${FIRST} ${this.state.wordsOf(domain)[0]}`], ...known];
    this.choice.replaceChildren(...options.map(([value, name]) => (
      el("option", { value, selected: value === this.text }, name)
    )));
  }

  /** Forget what was chosen for another content. */
  reset() { this.text = ""; this.part.hidden = true; }
}
