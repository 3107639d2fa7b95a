// What stands on the board: how it is opened, changed by steps, shown, and left.
// @ts-check
import { write } from "./address.js";
import { one } from "./api.js";
import { $, attempt, headed, trouble } from "./base.js";
import { brushes, holds } from "./palette.js";
import { ruleBoxes, rules } from "./rules.js";
import { offerPlay, setMode, turn, under } from "./tabs.js";
import { counted } from "./words.js";

const MOST_LEFT = 20, WIDE = 760;

/** @param {{domain: string, text: string}} content */
const keyOf = ({ domain, text }) => `${domain} ${text}`;

/** The address of what stands on the board. @param {State} state */
export const addressOf = ({ bench, panels }) => (
  bench.ofProject ? panels.project.address : addressOfContent(bench)
);

/** @param {{domain: string, text: string}} content */
export const addressOfContent = ({ domain, text }) => `#/${encodeURIComponent(domain)}/${encodeURIComponent(text)}`;

/** Keep what has been done to a content that is left. @param {State} state */
function leave({ opened, left }) {
  if (!opened || opened.ofProject) return;
  left.delete(keyOf(opened));
  left.set(keyOf(opened), { nodes: opened.nodes, at: opened.at, locked: opened.locked });
  if (left.size > MOST_LEFT) left.delete([...left.keys()][0]);
}

/**
 * Make a content the document.
 * @param {State} state @param {Opened} opened @param {boolean} [ofProject] whether it is a level of the open file
 */
export function adopt(state, opened, ofProject = false) {
  const { art, changes, palette, project, shop, sketch } = state.panels;
  $("bench").classList.remove("bare");
  $("share").hidden = false;
  if (!ofProject) { project.pane.toggle(false); shop.close(); }
  leave(state);
  const mark = brushes(opened.palette)[0]?.name ?? "";
  const fresh = { nodes: [], at: -1, locked: /** @type {Set<string>} */ (new Set()) };
  const known = (!ofProject && state.left.get(keyOf(opened))) || fresh;
  state.opened = { ...opened, ofProject, mark, measures: [], turned: new Set(), ...known };
  if (!ofProject) write(addressOfContent(opened), true);
  turn(state, "bench");
  headed("bench", state.domain.title);
  offerPlay(state);
  $("resize").hidden = !opened.resizable;
  $("make-list").hidden = ofProject;
  $("make-list").textContent = `Make a list of ${state.wordsOf(opened.domain)[1]} …`;
  const measures = state.domain.evaluators.flatMap(({ name, metrics }) =>
    metrics.map((metric) => ({ ...metric, evaluator: name })));
  changes.begin(measures);
  sketch.begin(measures);
  ruleBoxes(state.domain.rules, () => { changes.clear(); void state.panels.answers.refresh(); });
  palette.reset();
  sketch.reset();
  art.follow();
  step(state, opened, "opened");
  setMode(state, state.mode === "play" && !opened.playable ? "edit" : state.mode);
}

/**
 * Take what a text of the open file holds now in place of what was on the board.
 * @param {State} state @param {Opened} opened
 */
export function put(state, opened) {
  state.bench.palette = opened.palette;
  state.bench.turned = new Set();
  state.panels.palette.show();
  state.panels.steps.take(opened, "text");
}

/** Open a puzzle by its id. @param {State} state @param {string} puzzle @param {Mode} [as] the tab to turn to */
export function adoptPuzzle(state, puzzle, as = state.mode) {
  return attempt(async () => {
    const opened = await one("puzzle", { puzzle });
    state.mode = as;
    adopt(state, opened);
  });
}

/** Open a text. @param {State} state @param {string} domain @param {string} text */
export function open(state, domain, text) {
  return attempt(async () => adopt(state, await one("open", { domain, text })));
}

/** Make a content the current one, as a step. @param {State} state @param {Content} message @param {string} label */
export function step(state, message, label) {
  state.panels.locks.branch();
  state.panels.steps.take(message, label);
}

/** Show the bench without a board, for a file without levels. @param {State} state */
export function bare(state) {
  state.panels.changes.stop();
  turn(state, "bench");
  $("bench").classList.add("bare");
  $("modes").hidden = $("share").hidden = true;
}

/**
 * Show a step of what stands on the board, or the present one.
 * @param {State} state @param {{text: string, scene: Scene}} [message]
 */
export function show(state, message = state.bench.nodes[state.bench.at]) {
  const { bench, board } = state, { changes, documents, past, play, project, recent, sketch } = state.panels;
  const changed = bench.text !== message.text || !bench.shown;
  bench.text = message.text; bench.scene = message.scene; bench.shown = true;
  turn(state, "bench");
  project.edited(bench.text, bench.nodes[bench.at].label);
  write(addressOf(state));
  changes.stop();
  board.heat = new Map();
  board.locked = bench.locked;
  board.coordinates = innerWidth > WIDE;
  board.show(bench.scene, bench.palette);
  for (const other of document.querySelectorAll("#boards > :not(#board)")) other.remove();
  $("note").textContent = bench.scene.note;
  under(state, state.hovered);
  $("text").value = bench.text;
  documents.size();
  past.show();
  recent.keep();
  if (state.mode === "play") void play.restart(); else play.leave();
  if (changed) { changes.clear(); void state.panels.answers.refresh(); }
  if (changed && state.mode === "sketch") sketch.follow();
}

/**
 * Put a mark on places.
 * @param {State} state @param {string[]} sites @param {string} mark
 * @param {boolean} [spares] whether locked ones and those that have it are left out silently
 * @param {string[][]} [images] where the stroke is mirrored: there the mark is put as far as it may stand there
 */
export async function paint(state, sites, mark, spares = false, images = []) {
  const { bench } = state, before = bench.text;
  const lies = (/** @type {string} */ site) => {
    return holds(bench.scene.marks[site] ?? [], mark, bench.palette);
  };
  const isFree = (/** @type {string} */ site) => !bench.locked.has(site) && !(spares && lies(site));
  const also = images.map((image) => image.filter(isFree)).filter((image) => image.length);
  const own = sites.filter(isFree), isOnly = !own.length && also.length; // what is mirrored may be missing
  const free = isOnly ? sites.filter((site) => !bench.locked.has(site)) : own;
  if (!free.length && spares && sites.some((site) => !bench.locked.has(site))) return;
  if (!free.length) { trouble(new Error("This place is locked: L unlocks it.")); return; }
  const title = state.panels.palette.title(mark);
  await attempt(async () => {
    const put = [...new Set(free)];
    const more = also.length ? { images: also } : {};
    const message = await one("put", { domain: bench.domain, text: before, sites: put, mark, ...more });
    if (state.bench.text !== before) return;
    const held = also.flat().filter((site) => holds(message.scene.marks[site] ?? [], mark, bench.palette));
    const all = new Set([...put, ...held]).size;
    step(state, message, all > 1 ? `${title} on ${counted(all, "place")}` : title);
  });
}

/** What analyses ask about what stands on the board. @param {State} state */
export function question({ bench, panels }) {
  const [evaluator, metric] = panels.changes.wish.choice.split("/");
  return { domain: bench.domain, text: bench.text, evaluator, metric, rules: rules() };
}

/**
 * Offer the measures of an evaluator for analyses, or say why it has none.
 * @param {State} state @param {string} evaluator @param {string} [reason]
 */
export function offer({ panels }, evaluator, reason) {
  for (const form of [panels.changes.wish, panels.sketch.wish]) form.refuse(evaluator, reason);
  for (const option of $("metric2").options) {
    if (option.value.split("/")[0] !== evaluator) continue;
    option.disabled = Boolean(reason);
    option.title = reason ?? option.title;
  }
}
