// The strip of the page that asks: the questions of the folder, and answers that none of them asks for.
// @ts-check

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const STATES = { done: "", stopped: "stopped", running: "under way" };

/**
 * Draw it.
 * @param {any} el @param {any[]} files the questions @param {any[]} kept the answers
 * @param {{file: string, draft: string}} now the file that is open, or the title of a question without one
 * @param {(name: string) => void} open opens a question @param {(run: number) => void} ofRun opens an answer
 */
export function strip(el, files, kept, now, open, ofRun) {
  const facts = (left, right) => el("span", { class: "facts" }, el("span", {}, left), el("span", {}, right));
  const count = (each) => (each.count ? Number(each.count).toLocaleString("en") : "");
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
      item(each, false, () => ofRun(each.run), { "data-run": each.run }, STATES[each.state] || `run ${each.run}`),
    ),
  );
}
