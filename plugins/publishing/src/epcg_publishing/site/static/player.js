// One puzzle: played, undone, hinted at, and its solution behind a tap.
// @ts-check
import "./board.js";
import { Touches } from "./play.js";
import { DEAD, UNKNOWN, unpacked } from "./graph.js";
import { Kept, installable } from "./keep.js";
import { Traces } from "./traces.js";

/** @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);
export const kept = new Kept(document.body.dataset.name ?? "");
export const traces = new Traces(kept, document.body.dataset.name ?? "");
const count = Number(document.body.dataset.puzzles);
/** What the player has beside a puzzle. */
export const tools = { hints: true, solution: true, warn: true };
/** The number of the puzzle that is shown, or is being loaded. */
let wanted = 0;
/** @type {any} */ let puzzle = null;
/** @type {import("./graph.js").PlayGraph | null} */ let graph = null;
/** @type {number[]} the actions taken */ let taken = [];
/** @type {number[]} the positions from the start */ let way = [0];
/** @type {any[]} */ let actions = [];

/** What a page of one file holds itself, instead of files beside it. */
const within = at("puzzles") ? JSON.parse(at("puzzles").textContent) : null;

const hand = new Touches(at("board"), take, note);
const here = () => way[way.length - 1];
const moves = (/** @type {number} */ number) => `${number} ${number === 1 ? "move" : "moves"}`;

/** @param {string} sentence */
function note(sentence) { at("note").textContent = sentence; }

/** Load the puzzle that the address names. */
const follow = () => load(Number(location.hash.slice(1) || 1));

/** Show no puzzle. */
export function close() {
  stopped();
  traces.close();
  puzzle = graph = null;
  at("play").hidden = at("still").hidden = true;
}

/** Load a puzzle. @param {number} number */
export function load(number) {
  close();
  wanted = number;
  document.body.setAttribute("aria-busy", "true");
  if (!Number.isInteger(number) || number < 1 || number > count) return failed(`There is no puzzle ${location.hash.slice(1) || number}: there are ${count}.`);
  if (within) { void open(within.puzzles[number - 1]); return undefined; }
  const script = document.createElement("script");
  script.src = `puzzles/${number}.js`;
  script.onerror = () => failed(`Puzzle ${number} cannot be loaded: its file puzzles/${number}.js is missing.`);
  document.head.append(script);
  script.onload = () => script.remove();
  return undefined;
}

/** @param {string} sentence */
function failed(sentence) {
  at("heading").textContent = "";
  at("why").textContent = sentence;
  at("still").hidden = false;
  at("picture").hidden = true;
  document.body.setAttribute("aria-busy", "false");
}

/** Every file of a puzzle calls this with what it holds. */
Object.assign(globalThis, { epcgPuzzle: (/** @type {PlayPuzzle} */ found) => { if (found.number === wanted) open(found); } });

/** @param {PlayPuzzle} found */
async function open(found) {
  puzzle = found;
  document.title = `Puzzle ${puzzle.number} – ${document.body.dataset.title}`;
  at("heading").textContent = puzzle.heading || `Puzzle ${puzzle.number}`;
  if (within) beside();
  at("about").textContent = [puzzle.chapter, puzzle.difficulty].filter(Boolean).join(" · ");
  for (const [id, number] of [["before", puzzle.number - 1], ["after", puzzle.number + 1]]) {
    at(id).hidden = number < 1 || number > count;
    at(id).href = `#${number}`;
  }
  at("picture").hidden = !puzzle.picture;
  if (puzzle.picture) { at("picture").src = puzzle.picture; at("picture").alt = `Puzzle ${puzzle.number}`; }
  at("text").textContent = puzzle.picture ? "" : puzzle.text;
  at("solution").open = false;
  at("solution").hidden = !tools.solution || (within && !puzzle.steps && !puzzle.solution);
  at("animate").hidden = !puzzle.moves || !puzzle.steps;
  at("solved-picture").removeAttribute("src");
  at("solved-picture").hidden = true;
  at("steps").replaceChildren();
  at("words").textContent = "";
  at("why").textContent = puzzle.why;
  let problem = "";
  try { graph = puzzle.moves ? await unpacked(puzzle.moves) : null; } catch (error) { problem = error instanceof Error ? error.message : String(error); }
  if (puzzle !== found) return;
  if (problem) at("why").textContent = problem;
  at("play").hidden = !graph;
  at("still").hidden = Boolean(graph);
  if (graph) {
    at("unknown").textContent = graph.complete ? "" : `This puzzle has more positions than this page carries: it knows the ${graph.size.toLocaleString("en")} nearest to a solution. A hint may not be the shortest way, and of some positions the page does not know whether they can still be won.`;
    at("hint").hidden = !tools.hints;
    at("warning").hidden = !puzzle.warn || !tools.warn;
    at("warn").checked = kept.data.warn === true;
    go(kept.of(puzzle.key).taken ?? []);
    traces.open(puzzle.key, puzzle.puzzle, begun());
  }
  test();
  document.body.setAttribute("aria-busy", "false");
}

/** Keys of the genre that mean others. @type {Record<string, string>} */
const SAME = { w: "ArrowUp", a: "ArrowLeft", s: "ArrowDown", d: "ArrowRight" };

/** Press a key, or the one that it stands for. @param {string} key @param {string} small */
const pressed = (key, small) => hand.key(key) || (SAME[small] !== undefined && hand.key(SAME[small]));

/** Whether a key plays wherever the focus is: those that buttons need play only where there is none. @param {string} key */
const plays = (key) => document.activeElement === document.body || !["Enter", " ", "Tab"].includes(key);

/** Show what a page of one file says beside its puzzle. */
function beside() {
  at("message").textContent = puzzle.message;
  at("heading").hidden = count === 1 && !puzzle.heading;
  at("facts").hidden = !puzzle.facts.length;
  at("measures").replaceChildren(...puzzle.facts.map((/** @type {string} */ text) => { const item = document.createElement("li"); item.textContent = text; return item; }));
  at("origin").textContent = puzzle.origin;
  at("copy").hidden = !within.source;
  dots();
}

/** A dot for each puzzle of a page of one file: solved ones are filled, the open one is a ring. */
function dots() {
  at("dots").replaceChildren(...within.puzzles.map((/** @type {PlayPuzzle} */ each) => {
    const dot = document.createElement("a"), solved = kept.of(each.key).solved === true;
    dot.href = `#${each.number}`;
    dot.title = `${each.heading || `Puzzle ${each.number}`}${solved ? ", solved" : ""}`;
    dot.setAttribute("aria-label", dot.title);
    dot.classList.toggle("solved", solved);
    if (each === puzzle) { dot.classList.add("here"); dot.setAttribute("aria-current", "step"); }
    return dot;
  }));
}

/** Take actions from the start, as far as they lead. @param {number[]} numbers */
function go(numbers) {
  taken = []; way = [0];
  for (const number of Array.isArray(numbers) ? numbers : []) {
    const to = graph?.actions(here())[number]?.to ?? UNKNOWN;
    if (to === UNKNOWN) break;
    taken.push(number); way.push(to);
  }
  show();
}

/** What is said of a position from which nothing can be won. */
const nothing = () => graph?.tables.lost ?? "Nothing can be won from here.";

function show() {
  if (!graph) return;
  actions = hand.actions = graph.actions(here());
  hand.reset();
  const scene = graph.scene(here()), solved = graph.solved(here()), lost = graph.distances[here()] === DEAD;
  at("board").show(scene, graph.tables.palette);
  const says = solved ? `Solved in ${moves(taken.length)}.`
    : !graph.known(here()) ? `${moves(taken.length)}. How it goes on from here is not in this page: take back a move.`
    : !actions.length ? `${moves(taken.length)}. There is no move left: take one back.`
    : lost && puzzle.warn && tools.warn && at("warn").checked ? `${moves(taken.length)}. ${nothing()}` : `${moves(taken.length)}.`;
  at("state").textContent = [says, scene.note].filter(Boolean).join(" ");
  at("state").classList.toggle("won", solved);
  at("undo").disabled = at("restart").disabled = !taken.length;
  at("animate").textContent = "Show it on the board";
  at("hint").disabled = solved;
  at("after").classList.toggle("ready", solved);
  if (at("all").open) list();
  const { best } = kept.of(puzzle.key);
  kept.change(puzzle.key, { taken, ...(solved ? { solved: true, best: Math.min(taken.length, best ?? taken.length) } : {}) });
  test();
  if (within) dots();
  at("kept").textContent = kept.works ? "" : "This browser keeps no progress for these pages.";
  document.dispatchEvent(new CustomEvent("played", { detail: { solved } }));
}

/** How long each move of a solution is shown. */
const MOVE_MS = 700;
/** @type {ReturnType<typeof setTimeout> | null} */ let moving = null;

/** Stop showing a solution; returns whether one was shown. */
function stopped() {
  const shown = moving !== null;
  if (moving !== null) clearTimeout(moving);
  moving = null;
  return shown;
}

/** Move a solution on the board, from the start; then the board is as it was. */
function animate() {
  if (stopped() || !graph) return show();
  const shown = graph;
  let position = 0, count = 0;
  traces.shown();
  at("animate").textContent = "Stop";
  const step = () => {
    at("board").show(shown.scene(position), shown.tables.palette);
    at("state").textContent = `The solution: ${moves(count)}${shown.solved(position) ? ", solved" : ""}.`;
    const best = shown.best(position), known = shown.actions(position);
    if (shown.solved(position) || best < 0) { moving = setTimeout(() => { stopped(); show(); }, 2 * MOVE_MS); return; }
    position = known[best].to; count += 1;
    moving = setTimeout(step, MOVE_MS);
  };
  at("state").classList.remove("won");
  at("board").scrollIntoView({ block: "nearest" });
  step();
  return undefined;
}

/** The moves as buttons. */
function list() {
  at("moves").replaceChildren(...actions.map((action, number) => {
    const item = document.createElement("li"), button = document.createElement("button");
    button.textContent = action.text;
    button.onclick = () => take(number);
    item.append(button);
    return item;
  }));
}

/** @param {number} number */
function take(number) {
  if (stopped()) return show();
  const { to, text } = actions[number];
  if (to === UNKNOWN) { at("board").touch([]); return note("Where this move leads is not in this page. Try another one."); }
  taken = [...taken, number]; way = [...way, to];
  traces.count("moves", text);
  if (graph?.solved(here())) traces.finished();
  note("");
  return show();
}

function undo(steps = 1) {
  if (stopped()) show();
  if (!taken.length) return;
  traces.count("undos");
  taken = taken.slice(0, -steps); way = way.slice(0, taken.length + 1);
  note("");
  show();
}

function restart() { stopped(); if (taken.length) traces.count("restarts"); note(""); go([]); }

const begun = () => taken.length > 0 || kept.of(puzzle.key).solved === true;

/** Show what the play test keeps. */
function test() {
  at("early").hidden = !traces.on || !traces.begun;
  at("record").checked = traces.on;
  at("rate").hidden = !traces.on || !graph || traces.begun;
  at("rating").value = traces.on && traces.own.rating ? String(traces.own.rating) : "";
  at("save").disabled = at("drop").disabled = !traces.any;
}

/** Give the player a file with all that the play test kept. */
function save() {
  const file = traces.file(), link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(file, null, 1)], { type: "application/json" }));
  link.download = `traces-${file.player}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function hint() {
  if (!graph || !tools.hints || graph.solved(here())) return undefined;
  if (stopped()) show();
  traces.count("hints");
  const best = graph.best(here());
  if (graph.distances[here()] >= 0 && best >= 0) {
    at("board").touch(actions[best].sites);
    return note(`Try: ${actions[best].text}.`);
  }
  let back = 1;
  while (back <= taken.length && !(graph.distances[way[way.length - 1 - back]] >= 0)) back += 1;
  const verdict = graph.distances[here()] === DEAD ? nothing() : "This page knows no way from here.";
  return note(back <= taken.length ? `${verdict} Take back ${moves(back)}.` : verdict);
}

/** Show the solution: its picture and every move. */
function solution() {
  if (!at("solution").open || !puzzle) return;
  traces.shown();
  at("solved-picture").hidden = !puzzle.solved;
  if (puzzle.solved) { at("solved-picture").src = puzzle.solved; at("solved-picture").alt = `Solution of puzzle ${puzzle.number}`; }
  at("steps").replaceChildren(...(puzzle.steps ?? []).map((/** @type {string} */ text) => { const item = document.createElement("li"); item.textContent = text; return item; }));
  at("words").textContent = puzzle.steps ? "" : puzzle.solution;
}

at("undo").onclick = () => undo();
at("restart").onclick = restart;
at("hint").onclick = hint;
at("warn").onchange = () => { kept.data.warn = at("warn").checked; show(); };
at("solution").ontoggle = solution;
at("animate").onclick = animate;
at("record").onchange = () => { traces.turn(at("record").checked, Boolean(graph) && begun()); test(); };
at("rating").onchange = () => { traces.rate(Number(at("rating").value) || null); test(); };
at("save").onclick = save;
at("drop").onclick = () => { traces.forget(); test(); };
document.addEventListener("visibilitychange", () => { if (document.hidden) traces.pause(); else traces.resume(); });
addEventListener("pagehide", () => traces.pause());
at("all").ontoggle = () => { if (at("all").open) list(); };
at("board").addEventListener("board-stroke", (/** @type {CustomEvent<Stroke>} */ event) => {
  const { sites } = event.detail;
  // a line that is drawn in one go touches its sites one after the other
  if (sites.length > 1 && actions.every((action) => action.sites.length < 2)) {
    for (const site of sites) if (actions.some((action) => action.sites[0] === site)) hand.stroke([site]);
  } else hand.stroke(sites);
});
at("board").addEventListener("board-arrow", (/** @type {CustomEvent<{key: string}>} */ event) => { if (hand.key(event.detail.key)) event.preventDefault(); });
at("board").addEventListener("board-letter", (/** @type {CustomEvent<{key: string}>} */ event) => { if (hand.key(event.detail.key.toLowerCase())) event.preventDefault(); });
at("board").addEventListener("board-cursor", (/** @type {CustomEvent<{words: string}>} */ event) => note(event.detail.words));
at("board").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.key === "Enter" && !actions.some((action) => action.sites[0] === at("board").here) && hand.key("Enter")) { event.preventDefault(); event.stopPropagation(); }
}, true);
document.addEventListener("keydown", (event) => {
  if (!graph || event.altKey || event.metaKey || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
  const key = event.key.toLowerCase();
  if (event.ctrlKey ? key === "z" : key === "u" || key === "z" || key === "backspace") { event.preventDefault(); event.stopPropagation(); undo(); }
  else if (event.ctrlKey) return;
  else if (key === "r") restart();
  else if (key === "h") hint();
  else if (document.activeElement === at("board") ? SAME[key] && hand.key(SAME[key]) : plays(event.key) && pressed(event.key, key)) { event.preventDefault(); at("board").focus({ preventScroll: true }); }
}, true);
/** Whether another module says which puzzle is shown, and when. */
const waits = document.body.dataset.waits !== undefined;
if (!waits) addEventListener("hashchange", () => { note(""); follow(); });
/** Where a finger went down outside the board: a swipe anywhere presses the arrow key of its direction. */
/** @type {Touch | null} */ let finger = null;
document.addEventListener("touchstart", (event) => {
  const inside = event.composedPath().includes(at("board"));
  finger = event.touches.length === 1 && !inside && graph ? event.touches[0] : null;
}, { passive: true });
document.addEventListener("touchend", (event) => {
  const from = finger, to = event.changedTouches[0];
  finger = null;
  if (!from || !to) return;
  const x = to.clientX - from.clientX, y = to.clientY - from.clientY;
  // a swipe down or up scrolls a page that is longer than the screen
  const scrolls = document.documentElement.scrollHeight > innerHeight + 1;
  if (Math.max(Math.abs(x), Math.abs(y)) < 40 || (scrolls && Math.abs(y) > Math.abs(x))) return;
  hand.key(Math.abs(x) > Math.abs(y) ? (x < 0 ? "ArrowLeft" : "ArrowRight") : y < 0 ? "ArrowUp" : "ArrowDown");
}, { passive: true });
if (within) at("copy").onclick = async () => {
  try { await navigator.clipboard.writeText(within.source); note("Copied: paste it into a workbench."); }
  catch { at("words").textContent = within.source; at("solution").hidden = false; at("solution").open = true; }
};
if (!within && !waits) installable(document);
if (!waits) follow();
