// Answers that take longer than people wait without a word: what they wait for, and later a button that stops it.
// @ts-check
import { whileAsked } from "./api.js";
import { el } from "./base.js";

/** When it is said what is waited for, and when it can be stopped. */
const SOON_MS = 1000, PATIENCE_MS = 8000;
/** What is waited for, by the names of requests; of others nothing is said: they are soon there, or in the background.
 * @type {Record<string, string>} */
const SAID = {
  solve: "a solution is searched",
  play: "the positions after each move are searched",
  measures: "the measures are computed",
  reduce: "places are tried one by one",
  fillings: "fillings are tried",
  standing: "it is compared with what is recorded",
  cost: "some are tried, to see how long all would take; you need not wait for it",
  question: "the question is read, and what it is about is counted",
  answered: "the answer is read",
  choice: "the puzzles of the plan are chosen",
  next_best: "another puzzle is searched",
  insert: "the puzzle is measured, to be put in its place",
  part_measures: "the measures of the source are read",
  source_measures: "the measures of the source are read",
  workshop_kinds: "puzzles of the game are counted",
  workshop_answer: "a way to fill the board is searched",
  placed: "it is looked up where it stands",
};

/** What goes on beside what one does; the page tells it where it will stand. */
const BESIDE = new Set(["cost", "measures", "standing"]);

/** What is waited for now: words, and what stops it, if it takes long.
 * @type {Map<object, {words: string, isLong: boolean, stop: () => void}>} */
const waits = new Map();
const place = el("div", { id: "waits", role: "status" });

function show() {
  if (!place.isConnected) document.body.append(place);
  const row = (/** @type {string} */ words) => {
    const same = [...waits.values()].filter((each) => each.words === words);
    if (!same.some(({ isLong }) => isLong)) return el("p", { class: "soon" }, `One moment: ${words} …`);
    const stop = () => same.forEach((each) => each.stop());
    return el("p", {}, `This takes a while: ${words}. `, el("button", { onclick: stop }, "Stop"));
  };
  const told = new Set([...waits.values()].map(({ words }) => words)); // two requests for one thing are one wait
  place.replaceChildren(...[...told].map(row));
}

whileAsked((name, stop) => {
  const words = SAID[name], own = {};
  if (!words) return () => {};
  const tell = (/** @type {boolean} */ isLong) => { waits.set(own, { words, isLong, stop }); show(); };
  const soon = BESIDE.has(name) ? PATIENCE_MS : SOON_MS;
  const timers = [setTimeout(tell, soon, false), setTimeout(tell, PATIENCE_MS, true)];
  return () => {
    timers.forEach(clearTimeout);
    if (waits.delete(own)) show();
  };
});
