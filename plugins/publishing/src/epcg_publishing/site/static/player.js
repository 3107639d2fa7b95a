// One puzzle: played, undone, hinted at, and its solution behind a tap.
// @ts-check
import "./board.js";
import { bindInputs } from "./inputs.js";
import { Moving, Player, told } from "./play.js";
import { DEAD, UNKNOWN, unpacked } from "./graph.js";
import { Kept, installable } from "./keep.js";
import { inFigures, say, sayOf } from "./texts.js";
import { Traces } from "./traces.js";

/** @typedef {import("./play.js").State} PlayState */
/** @typedef {Positions<unknown>} Graph */

/**
 * Return an element of the page. Throws an error if the page has none of this id.
 * @template {keyof PlayIds} K @param {K} id @returns {PlayIds[K]}
 */
export function at(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return /** @type {PlayIds[K]} */ (found);
}

export const kept = new Kept(document.body.dataset.name ?? "");
export const traces = new Traces(kept, document.body.dataset.name ?? "");
const count = Number(document.body.dataset.puzzles);
/** What the player has beside a puzzle. */
export const tools = { hints: true, solution: true, warn: true };
/** What a key or a touch means first; another module may say it. */
export const first = { key: (/** @type {string} */ _key) => false, touch: () => false };
/** The number of the puzzle that is shown, or is being loaded. */
let wanted = 0;
/** @type {PlayPuzzle | null} */ let puzzle = null;
/** @type {Graph | null} */ let graph = null;

/** @param {string} sentence */
function note(sentence) { at("note").textContent = sentence; }

/** The positions on the way of actions from the start, as far as they lead. @param {Graph} found @param {number[]} taken */
function wayOf(found, taken) {
  const way = [found.start];
  for (const number of taken) {
    const to = found.actions(way[way.length - 1])[number]?.to ?? UNKNOWN;
    if (to === UNKNOWN) break;
    way.push(to);
  }
  return way;
}

/** What the page knows of the moves. @type {import("./play.js").Source} */
const source = {
  position(taken) {
    if (!graph) return null;
    const way = wayOf(graph, taken), here = way[way.length - 1];
    if (way.length <= taken.length) return say("Where this move leads is not in this page. Try another one.");
    const warns = puzzle?.warn && tools.warn && at("warn").checked, solved = graph.solved(here), actions = graph.actions(here);
    const rest = !graph.known(here) && !solved ? say("How it goes on from here is not in this page: take back a move.")
      : actions.length && warns && graph.distance(here) === DEAD ? nothing(graph) : "";
    return { scene: graph.scene(here), actions, solved, rest };
  },
  hint({ taken }) {
    if (!graph || !tools.hints) return null;
    const found = graph, way = wayOf(found, taken), here = way[way.length - 1], told = found.hint(here);
    if (told) return told;
    let back = 1;
    while (back <= taken.length && !(found.distance(way[taken.length - back]) >= 0)) back += 1;
    const verdict = found.distance(here) === DEAD ? nothing(found) : say("This page knows no way from here.");
    return { sentence: back <= taken.length ? `${verdict} ${sayOf(back, "Take back {count} move.", "Take back {count} moves.")}` : verdict };
  },
};

/** What is said of a position from which nothing can be won. @param {Graph} found */
const nothing = (found) => found.tables.lost ?? say("Nothing can be won from here.");

export const player = new Player(source, {
  show, note,
  touch: (sites) => at("board").touch(sites),
  go: (key) => at("board").go(key),
  here: () => at("board").here,
  title: (site) => at("board").title_(site),
  did(what, text) {
    if (what === "solved") traces.finished();
    else if (what !== "restarts" || player.taken.length) traces.count(what, text);
  },
  // while a solution moves on the board, the first input ends that
  before(input) {
    const isTap = input.kind === "stroke" && input.sites.length === 1 && !input.swipe && !input.line;
    if (!moving.stop()) return isTap && first.touch() ? null : input;
    return ["undo", "restart", "hint", "look"].includes(input.kind) ? input : null;
  },
});

/** Load the puzzle that the address names. */
const follow = () => load(Number(location.hash.slice(1) || 1));

/** Show no puzzle. */
export function close() {
  puzzle = graph = null;
  moving.stop();
  traces.close();
  player.leave();
  at("play").hidden = at("rest").hidden = at("still").hidden = true;
}

/** Load a puzzle. @param {number} number */
export function load(number) {
  close();
  wanted = number;
  document.body.setAttribute("aria-busy", "true");
  if (!Number.isInteger(number) || number < 1 || number > count) return failed(say("There is no puzzle {number}: there are {count}.", { number: location.hash.slice(1) || number, count }));
  const script = document.createElement("script");
  script.src = `puzzles/${number}.js`;
  script.onerror = () => failed(say("Puzzle {number} cannot be loaded: its file puzzles/{number}.js is missing.", { number }));
  document.head.append(script);
  script.onload = () => script.remove();
  return undefined;
}

/** Say why no puzzle is shown. @param {string} sentence */
export function failed(sentence) {
  at("heading").textContent = "";
  at("why").textContent = sentence;
  at("still").hidden = false;
  at("picture").hidden = true;
  document.body.setAttribute("aria-busy", "false");
}

/** Every file of a puzzle calls this with what it holds. */
Object.assign(globalThis, { epcgPuzzle: (/** @type {PlayPuzzle} */ found) => { if (found.number === wanted) open(found); } });

/** Show a puzzle. @param {PlayPuzzle} found what its file holds */
export async function open(found) {
  const heading = found.heading || say("Puzzle {number}", { number: found.number });
  puzzle = found;
  document.title = `${heading} – ${document.body.dataset.title}`;
  at("heading").textContent = heading;
  at("about").textContent = [found.chapter, found.difficulty].filter(Boolean).join(" · ");
  for (const [link, number] of /** @type {const} */ ([[at("before"), found.number - 1], [at("after"), found.number + 1]])) {
    link.hidden = number < 1 || number > count;
    link.href = `#${number}`;
  }
  at("picture").hidden = !found.picture;
  if (found.picture) { at("picture").src = found.picture; at("picture").alt = say("Puzzle {number}", { number: found.number }); }
  at("text").textContent = found.picture ? "" : found.text;
  at("solution").open = false;
  at("solution").hidden = !tools.solution || !(found.steps || found.solution || found.solved);
  at("animate").hidden = !found.moves || !found.steps;
  at("solved-picture").removeAttribute("src");
  at("solved-picture").hidden = true;
  at("steps").replaceChildren();
  at("words").textContent = "";
  at("why").textContent = found.why;
  let problem = "";
  try { graph = found.moves ? await unpacked(found.moves) : null; } catch (error) { problem = error instanceof Error ? error.message : String(error); }
  if (puzzle !== found) return;
  if (problem) at("why").textContent = problem;
  at("play").hidden = at("rest").hidden = !graph;
  at("still").hidden = Boolean(graph);
  if (graph) {
    at("unknown").textContent = graph.complete ? "" : say("This puzzle has more positions than this page carries: it knows the {size} nearest to a solution. A hint may not be the shortest way, and of some positions the page does not know whether they can still be won.", { size: inFigures(graph.size) });
    at("hint").hidden = !tools.hints;
    at("warning").hidden = !found.warn || !tools.warn;
    at("warn").checked = kept.data.warn === true;
    const { taken } = kept.of(found.key);
    await player.begin(Array.isArray(taken) ? taken.slice(0, wayOf(graph, taken).length - 1) : []);
    if (puzzle !== found) return;
    traces.open(found.key, found.puzzle, begun());
  }
  test();
  document.body.setAttribute("aria-busy", "false");
}

/** Texts as items of a list. @param {string[]} texts */
export const items = (texts) => texts.map((text) => { const item = document.createElement("li"); item.textContent = text; return item; });

/** Show a state of play. @param {PlayState} state */
function show(state) {
  if (!graph || !puzzle) return;
  const { taken, position: { scene, solved } } = state;
  at("board").show(scene, graph.tables.palette);
  at("state").textContent = told(state);
  at("state").classList.toggle("won", solved);
  at("animate").textContent = say("Show it on the board");
  at("after").classList.toggle("ready", solved);
  if (at("all").open) list();
  const { best } = kept.of(puzzle.key);
  kept.change(puzzle.key, { taken, ...(solved ? { solved: true, best: Math.min(taken.length, best ?? taken.length) } : {}) });
  test();
  at("kept").textContent = kept.works ? "" : say("This browser keeps no progress for these pages.");
  document.dispatchEvent(new CustomEvent("played", { detail: { solved } }));
}

/** How long each move of a solution is shown, and for how many moves its end. */
const MOVE_MS = 700, END_MOVES = 2;
/** The longest pause that a browser makes. */
const NEVER_MS = 2 ** 31 - 1;
/** What is shown while a solution moves: the position, after how many moves, and for how many its end was shown. */
const shown = { place: /** @type {unknown} */ (null), count: 0, end: 0 };
/** A solution that moves on the board; afterwards the board is as it was. */
const moving = new Moving(() => {
  if (!graph) return false;
  const best = graph.solved(shown.place) ? -1 : graph.best(shown.place);
  if (best < 0) { shown.end += 1; return shown.end < END_MOVES; }
  shown.place = graph.actions(shown.place)[best].to;
  shown.count += 1;
  frame(graph);
  return true;
}, MOVE_MS, () => { if (!moving.isOn && player.state) show(player.state); });

/** Show the position of the solution that moves. @param {Graph} found */
function frame(found) {
  at("board").show(found.scene(shown.place), found.tables.palette);
  at("state").textContent = found.solved(shown.place)
    ? sayOf(shown.count, "The solution: {count} move, solved.", "The solution: {count} moves, solved.")
    : sayOf(shown.count, "The solution: {count} move.", "The solution: {count} moves.");
}

/** Whether a person wants nothing to move by itself: then a press makes each move of a solution. */
const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Move a solution on the board, from the start, or end that. */
function animate() {
  if (moving.isOn && isCalm()) { if (!moving.move()) moving.stop(); return; }
  if (moving.stop() || !graph) return;
  Object.assign(shown, { place: graph.start, count: 0, end: 0 });
  traces.shown();
  at("animate").textContent = isCalm() ? say("Next move") : say("Stop");
  at("state").classList.remove("won");
  at("board").scrollIntoView({ block: "nearest" });
  frame(graph);
  moving.pause = isCalm() ? NEVER_MS : MOVE_MS;
  moving.begin();
}

/** The moves as buttons. */
function list() {
  at("moves").replaceChildren(...player.actions.map((action, number) => {
    const item = document.createElement("li"), button = document.createElement("button");
    button.textContent = action.text;
    button.onclick = () => player.do({ kind: "take", number });
    item.append(button);
    return item;
  }));
}

const begun = () => player.taken.length > 0 || kept.of(puzzle?.key ?? "").solved === true;

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

/** Show the solution: its picture and every move. */
function solution() {
  if (!at("solution").open || !puzzle) return;
  traces.shown();
  at("solved-picture").hidden = !puzzle.solved;
  if (puzzle.solved) { at("solved-picture").src = puzzle.solved; at("solved-picture").alt = say("Solution of puzzle {number}", { number: puzzle.number }); }
  at("steps").replaceChildren(...items(puzzle.steps ?? []));
  at("words").textContent = puzzle.steps ? "" : puzzle.solution;
}

bindInputs(player, {
  board: at("board"), isOn: () => graph !== null, held: (key) => !moving.isOn && first.key(key), buttons: { undo: at("undo"), restart: at("restart"), hint: at("hint") },
});
at("warn").onchange = () => { kept.data.warn = at("warn").checked; return player.do({ kind: "look" }); };
at("solution").ontoggle = solution;
at("animate").onclick = animate;
at("record").onchange = () => { traces.turn(at("record").checked, Boolean(graph) && begun()); test(); };
at("rating").onchange = () => { traces.rate(Number(at("rating").value) || null); test(); };
at("save").onclick = save;
at("drop").onclick = () => { traces.forget(); test(); };
document.addEventListener("visibilitychange", () => { if (document.hidden) traces.pause(); else traces.resume(); });
addEventListener("pagehide", () => traces.pause());
at("all").ontoggle = () => { if (at("all").open) list(); };
at("board").addEventListener("board-cursor", (event) => note(event.detail.words));
/** Whether another module says which puzzle is shown, and when. */
const waits = document.body.dataset.waits !== undefined;
if (!waits) addEventListener("hashchange", () => { note(""); follow(); });
if (!waits) installable(document);
if (!waits) follow();
