// Questions as a form: what is asked, what was chosen, and what is still missing.
// @ts-check
import { plan } from "./person.js";
import { say } from "./texts.js";

/**
 * An element with texts and elements in it.
 * @template {keyof HTMLElementTagNameMap} K @param {K} tag @param {Record<string, unknown>} [properties]
 * @param {...(string | Node)} inside
 */
export function made(tag, properties = {}, ...inside) {
  const found = Object.assign(document.createElement(tag), properties);
  found.append(...inside);
  return found;
}

const PLACES = [
  say("First"), say("Second"), say("Third"), say("Fourth"), say("Fifth"), say("Sixth"), say("Seventh"), say("Eighth"), say("Ninth"),
  say("Tenth"),
];
const place = (/** @type {number} */ at) => (at in PLACES ? PLACES[at] : say("Number {number}", { number: at + 1 }));

/** @typedef {Extract<StudyStep, {does: "ask"}>} Asked */

/** The questions of a step. @param {Asked} step */
export const questionsOf = (step) => plan.questions.filter((each) => each.when === step.when && (!step.training || each.training));

export class Form {
  /** @param {Asked} step @param {StudyState["draft"]} draft what was chosen before a reload @param {(draft: StudyState["draft"]) => void} keep */
  constructor(step, draft, keep) {
    this.step = step; this.questions = questionsOf(step); this.draft = { ...draft }; this.keep = keep;
    this.says = made("p", { className: "missing", id: "missing" });
    this.says.setAttribute("role", "alert");
  }

  /** The elements of the form. */
  elements() {
    /** @type {HTMLElement[]} */ const found = [];
    let block = -1, table = made("section");
    for (const question of this.questions) {
      if (question.kind === "which") {
        if (question.block !== block) { table = made("section", { className: "which" }, this.#pictures()); found.push(table); }
        table.append(this.#field(question, this.#which(question)));
      } else found.push(this.#field(question, this.#inputs(question)));
      block = question.block;
    }
    return [...found, this.says];
  }

  /** The answers, or null after saying which question has none. */
  answers() {
    const found = [];
    for (const question of this.questions) {
      const value = this.draft[question.name], problem = this.#problem(question, value);
      const field = document.getElementById(`q-${question.name}`);
      field?.classList.toggle("lacks", Boolean(problem));
      if (problem) {
        this.says.textContent = problem;
        field?.scrollIntoView({ block: "center" });
        const input = field?.querySelector("input, textarea");
        if (input instanceof HTMLElement) input.focus({ preventScroll: true });
        return null;
      }
      if (value !== undefined && value !== null) found.push({ question: question.name, about: this.step.about, value });
    }
    return found;
  }

  /** @param {StudyQuestion} question @param {string | number | null | undefined} value */
  #problem(question, value) {
    if (value === undefined || value === null) return question.optional ? "" : say("Please answer: {question}", { question: question.text });
    if (question.kind !== "number") return "";
    const { minimum, maximum } = question;
    if (!Number.isFinite(value)) return say("Please write a number: {question}", { question: question.text });
    if (minimum !== null && Number(value) < minimum) return say("{question} The smallest number here is {number}.", { question: question.text, number: minimum });
    return maximum !== null && Number(value) > maximum ? say("{question} The largest number here is {number}.", { question: question.text, number: maximum }) : "";
  }

  /** @param {StudyQuestion} question @param {string | number | null} value */
  #take(question, value) {
    this.draft[question.name] = value;
    document.getElementById(`q-${question.name}`)?.classList.remove("lacks");
    this.says.textContent = "";
    this.keep(this.draft);
  }

  /** @param {StudyQuestion} question @param {...(string | Node)} inside */
  #field(question, ...inside) {
    const legend = made("legend", {}, question.text, ...(question.optional ? [made("span", { className: "muted" }, ` ${say("(may stay empty)")}`)] : []));
    return made("fieldset", { id: `q-${question.name}`, className: question.kind }, legend, ...inside);
  }

  /** One of several, as radio buttons. @param {StudyQuestion} question @param {[string | number, string][]} choices @param {string} kind */
  #choices(question, choices, kind) {
    return made("div", { className: kind }, ...choices.map(([value, text]) => {
      const input = made("input", { type: "radio", name: question.name, value: String(value), checked: this.draft[question.name] === value });
      input.onchange = () => this.#take(question, value);
      return made("label", {}, input, made("span", {}, text));
    }));
  }

  /** @param {StudyQuestion} question */
  #which(question) {
    /** @type {[string, string][]} */
    const choices = this.step.puzzles.map((puzzle, at) => [plan.puzzles[puzzle].name, place(at)]);
    return this.#choices(question, question.equal ? [...choices, ["", say("No difference")]] : choices, "segments");
  }

  /** The puzzles that are compared, as they begin. */
  #pictures() {
    return made("div", { className: "compared" }, ...this.step.puzzles.map((puzzle, at) => {
      const caption = made("figcaption", {}, place(at));
      if (!plan.pictured[puzzle]) return made("figure", {}, caption);
      return made("figure", {}, made("img", { src: `pictures/${puzzle + 1}.svg`, alt: say("Puzzle: {place}", { place: place(at) }) }), caption);
    }));
  }

  /** @param {StudyQuestion} question */
  #inputs(question) {
    if (question.kind === "scale") return this.#scale(question);
    if (question.kind === "choice") return this.#choices(question, question.options.map((option) => [option, option]), "options");
    const known = this.draft[question.name] ?? "";
    const input = question.kind === "text" ? made("textarea", { rows: 3, maxLength: 4000, value: known })
      : made("input", { type: "number", inputMode: "decimal", step: "any", value: known });
    input.setAttribute("aria-label", question.text);
    input.oninput = () => {
      const text = input.value.trim(), bad = input.validity?.badInput;
      this.#take(question, bad ? NaN : text === "" ? null : question.kind === "text" ? text : Number(text));
    };
    return input;
  }

  /** @param {StudyQuestion} question */
  #scale(question) {
    const steps = Array.from({ length: question.high - question.low + 1 }, (_, at) => question.low + at);
    const row = this.#choices(question, steps.map((step) => [step, String(step)]), "segments");
    if (!question.ends.length) return row;
    return made("div", {}, row, made("p", { className: "ends muted" }, made("span", {}, question.ends[0]), made("span", {}, question.ends[1])));
  }
}
