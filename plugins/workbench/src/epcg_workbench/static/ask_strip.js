// The strip of the page that asks: the questions of the folder, and answers that none of them asks for.
// @ts-check
import { $, el } from "./base.js";

/** @type {Record<string, string>} */
const STATES = { done: "", stopped: "stopped", running: "under way" };

/** What stands below the title of an answer. @param {KeptAnswer} answer */
const told = ({ run, about, state }) => [about, STATES[state]].filter(Boolean).join(", ") || `run ${run}`;

/**
 * Draw it.
 * @param {QuestionFile[]} files the questions @param {KeptAnswer[]} kept the answers
 * @param {{file: string, draft: string}} now the file that is open, or the title of a question without one
 * @param {(name: string) => void} open opens a question @param {(run: number) => void} ofRun opens an answer
 */
export function strip(files, kept, now, open, ofRun) {
  /** @param {string} left @param {string} right */
  const facts = (left, right) => el("span", { class: "facts" }, el("span", {}, left), el("span", {}, right));
  /** @typedef {{title: string, of?: string, count?: string}} Entry */
  const count = (/** @type {Entry} */ each) => (each.count ? Number(each.count).toLocaleString("en") : "");
  /** @param {Entry} each @param {boolean} current @param {() => void} act @param {object} data @param {string} left */
  const item = (each, current, act, data, left) => {
    const about = { class: "entry", "aria-current": String(current), title: each.of ?? "", ...data, onclick: act };
    return el("li", {}, el("button", about, el("b", {}, each.title), facts(left, count(each))));
  };
  const draft = () =>
    el(
      "li",
      {},
      el("span", { class: "entry", "aria-current": "true" }, el("b", {}, now.draft), facts("not saved yet", "")),
    );
  $("ask-questions").replaceChildren(
    ...files.map((each) =>
      item(each, each.file === now.file, () => open(each.file), { "data-file": each.file }, each.size ?? ""),
    ),
    ...(now.draft ? [draft()] : []),
  );
  $("ask-kept-part").hidden = !kept.length;
  $("ask-kept").replaceChildren(
    ...kept.map((each) =>
      item(each, false, () => ofRun(each.run), { "data-run": each.run }, told(each)),
    ),
  );
}
