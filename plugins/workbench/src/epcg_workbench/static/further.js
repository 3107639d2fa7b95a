// Questions by which a designer goes on with a game or a content: each opens the page that asks.
// @ts-check
import { el } from "./base.js";

/**
 * List questions, in a part that is hidden if there are none.
 * @param {HTMLElement} part @param {HTMLElement} list @param {GameQuestion[]} questions
 * @param {(question: GameQuestion) => unknown} choose
 */
export function questionList(part, list, questions, choose) {
  part.hidden = !questions.length;
  list.replaceChildren(...questions.map((each) => el("li", {},
    el("button", { onclick: () => choose(each) }, each.title, el("small", {}, each.about)))));
}

/**
 * Have the page that asks open with a question.
 * @param {State} state @param {string} text @param {boolean} [begins] whether it is asked at once
 */
export function asked(state, text, begins = false) {
  state.panels.ask.draft(text, begins);
  location.hash = "#ask";
}
