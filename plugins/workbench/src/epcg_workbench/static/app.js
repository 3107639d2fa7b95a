// The page of the workbench: documents, history, play and analysis, for any domain.
// @ts-check
import { EpcgBoard } from "./board.js";
import { following, onReturn, turned, went, write } from "./address.js";
import { ask, one, workIn } from "./api.js";
import { AnswersPanel } from "./answers.js";
import { ArrangePage } from "./arrange.js";
import { AskPage } from "./ask.js";
import { attempt, copied, el, note, trouble } from "./base.js";
import { BenchSteps } from "./bench_steps.js";
import { Casting } from "./casting.js";
import { ChangesPanel } from "./changes.js";
import { DocumentButtons } from "./documents.js";
import { DrawTools } from "./drawing.js";
import { FirstPage } from "./first.js";
import { IntoDialog } from "./into.js";
import { LockSteps } from "./lock_steps.js";
import { Palette } from "./palette.js";
import { Past } from "./past.js";
import { PlayPanel } from "./playing.js";
import { ProjectPage } from "./project.js";
import { Recent } from "./recent.js";
import { ruleBoxes, rules } from "./rules.js";
import { Running } from "./running.js";
import { SketchPanel } from "./sketch.js";
import { counted, price, shown } from "./words.js";
import { Workshop } from "./workshop.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const MOST_LEFT = 20;

/** @type {any} */ let bench = null;
/** @type {any[]} */ let domains = [];
/** @type {any} */ let settings = {};
let mode = "edit", shownMode = "";
/** History and locks of contents that were left, to which *back* leads. @type {Map<string, any>} */
const left = new Map();

const board = /** @type {EpcgBoard} */ ($("board"));

// ---- start

async function begin() {
  settings = await (await fetch("/settings")).json();
  workIn(settings.id);
  $("data").hidden = !settings.data;
  const link = ({ address, summary, title }) => el("a", { href: address, title: summary }, title);
  $("others").append(...settings.pages.flatMap((page) => [" ", link(page)]));
  domains = [];
  for await (const domain of ask("domains")) domains.push(domain);
  for (const { domain, title } of domains) $("paste-domain").append(el("option", { value: domain }, title));
  if (settings.project) {
    const kept = await project.begin(settings.folder);
    if (["edit", "sketch", "play", "analyse"].includes(kept.mode)) mode = kept.mode;
    if (kept.wish) Object.assign(changes.wish.wish, kept.wish);
    if (kept.fill) Object.assign(sketch.wish.wish, kept.fill);
  }
  if (settings.start && !location.hash.slice(2)) history.replaceState(null, "", `#${settings.start}`);
  else if (settings.project && !location.hash) history.replaceState(null, "", project.last() || "#/");
  await follow();
}

/** Show one of the pages. @param {"start" | "bench" | "ask" | "curricula"} name */
function turn(name) {
  for (const each of ["start", "bench", "ask", "curricula"]) $(each).hidden = each !== name;
  $("share").hidden = $("past-bar").hidden = name !== "bench";
  $("modes").hidden = name === "start" || !(bench || project.home());
  if (document.body.dataset.page !== name) scrollTo(0, 0);
  document.body.dataset.page = name;
  pressed(name === "bench" ? mode : "");
  for (const link of $("pages").children) {
    link.setAttribute("aria-current", String(link.getAttribute("href") === `#${name}`));
  }
}

/** Show which of the tabs is open. @param {string} name */
function pressed(name) {
  for (const button of $("modes").children) button.setAttribute("aria-pressed", String(button.dataset.mode === name));
}

/** Decode a part of the address; one that a person has typed may not be encoded. @param {string} part */
function plain(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

async function follow() {
  if (/^#(ask|curricula)(\/|$)/.test(location.hash)) project.remember({ page: location.hash });
  const [page, ...named] = location.hash.split("/"), name = plain(named.join("/"));
  if (page === "#ask") {
    stop();
    turn("ask");
    document.title = "Ask – EPCG workbench";
    return asking.open(name);
  }
  if (page === "#curricula") {
    stop();
    turn("curricula");
    return arranging.open(name);
  }
  if (page === "#file") {
    turn("bench");
    await attempt(() => project.follow(location.hash));
    past.show();
    return bench ? again() : bare();
  }
  const [domain, text] = [named[0] ?? "", named.slice(1).join("/")].map(plain);
  if (!domain) return start();
  if (bench && bench.domain === domain && bench.text === text && !bench.ofProject) {
    show();
    return again();
  }
  const opened = await attempt(() => (text ? one("open", { domain, text }) : one("new", { domain })));
  if (opened) adopt(opened);
  else if (!bench) start();
}

function start() {
  stop();
  turn("start");
  document.title = "EPCG workbench";
  attempt(async () => { await keepNow(); first.open(); });
}

function open(domain, text) { return attempt(async () => adopt(await one("open", { domain, text }))); }

// ---- documents

/** Show the bench without a board, for a file without levels. */
function bare() {
  stop();
  turn("bench");
  $("bench").classList.add("bare");
  $("modes").hidden = $("share").hidden = true;
}

/** Turn to the tab with which one was here before. */
function again() { if (mode !== shownMode && !$("bench").hidden) setMode(mode); }

/** Keep what has been done to a content that is left. */
function leave() {
  if (!bench || bench.ofProject) return;
  left.delete(keyOf(bench));
  left.set(keyOf(bench), { nodes: bench.nodes, at: bench.at, locked: bench.locked });
  if (left.size > MOST_LEFT) left.delete(left.keys().next().value);
}
const keyOf = ({ domain, text }) => `${domain} ${text}`;
const addressOf = ({ domain, text }) => `#/${encodeURIComponent(domain)}/${encodeURIComponent(text)}`;

/**
 * Make a content the document.
 * @param {any} opened @param {boolean} [ofProject] whether it is a level of the open file
 */
function adopt(opened, ofProject = false) {
  $("bench").classList.remove("bare");
  $("share").hidden = false;
  if (!ofProject) { project.pane.toggle(false); shop.close(); }
  leave();
  const fresh = { nodes: [], at: -1, locked: new Set() }, mark = opened.palette.find((each) => each.name)?.name ?? "";
  const known = (!ofProject && left.get(keyOf(opened))) || fresh;
  bench = { ...opened, ofProject, mark, measures: [], turned: new Set(), ...known };
  if (!ofProject) write(addressOf(opened), true);
  turn("bench");
  document.title = `${domainOf().title} – EPCG workbench`;
  for (const button of $("modes").children) if (button.dataset.mode === "play") button.disabled = !opened.playable;
  $("resize").hidden = !opened.resizable;
  choices();
  ruleBoxes(domainOf().rules, () => { changes.clear(); answers(); });
  palette.reset();
  sketch.reset();
  step(opened, "opened");
  setMode(mode === "play" && !opened.playable ? "edit" : mode);
}

const domainOf = () => domains.find((each) => each.domain === bench.domain);

/** The history of a content outside of projects. */
const steps = new BenchSteps(() => bench, (message) => show(message));
const step = (message, label) => { locks.branch(); return steps.take(message, label); };
/** What undo and redo are about: in play the moves, never the drawing. */
const played = {
  get canUndo() { return play.canUndo; },
  canRedo: false,
  undo: () => play.undo(),
  redo: () => {}, go: () => {}, rows: () => [], picture: () => "",
};

function show(message = bench.nodes[bench.at]) {
  const changed = bench.text !== message.text || !bench.shown;
  bench.text = message.text; bench.scene = message.scene; bench.shown = true;
  turn("bench");
  project.edited(bench.text, bench.nodes[bench.at].label);
  write(bench.ofProject ? project.address : addressOf(bench));
  stop();
  board.heat = new Map();
  board.locked = bench.locked;
  board.coordinates = innerWidth > 760;
  board.show(bench.scene, bench.palette);
  for (const other of document.querySelectorAll("#boards > :not(#board)")) other.remove();
  $("note").textContent = bench.scene.note;
  under(hovered);
  $("text").value = bench.text;
  documents.size();
  past.show();
  keep();
  if (mode === "play") play.restart(); else play.leave();
  if (changed) { changes.clear(); answers(); }
}

const recent = new Recent(() => bench);
const keep = () => recent.keep(), keepNow = () => recent.keepNow();

// ---- editing

const documents = new DocumentButtons({
  board, attempt, bench: () => bench, palette: () => palette, step: (...taken) => step(...taken),
});
const palette = new Palette({ el, bench: () => bench, chosen: () => tools.follow() });

/**
 * Put a mark on places.
 * @param {string[]} sites @param {string} mark
 * @param {boolean} [spares] whether locked ones and those that have it are left out silently
 */
async function paint(sites, mark, spares = false) {
  const lies = (site) => (mark ? bench.scene.marks[site]?.includes(mark) : !bench.scene.marks[site]?.length);
  const free = sites.filter((site) => !bench.locked.has(site) && !(spares && lies(site)));
  if (!free.length && spares && sites.some((site) => !bench.locked.has(site))) return undefined;
  if (!free.length) return trouble(new Error("This place is locked: L unlocks it."));
  const title = palette.title(mark);
  const before = bench.text;
  await attempt(async () => {
    const own = [...new Set(free)];
    const message = await one("put", { domain: bench.domain, text: before, sites: own, mark });
    if (bench.text === before) step(message, own.length > 1 ? `${title} on ${counted(own.length, "place")}` : title);
  });
}

let waiting = Promise.resolve();
board.addEventListener("board-stroke", (event) => {
  const { sites, erase } = event.detail;
  if (mode === "play") return undefined; // the player hears it itself
  if (mode === "sketch") return sketch.stroke(sites, erase);
  if (mode === "analyse") return changes.stroke(sites, event.detail);
  waiting = waiting.then(() => tools.stroke(event.detail));
});
board.addEventListener("board-cursor", (event) => { $("note").textContent = event.detail.words; });
let hovered = "";
/** Tell what lies on a place, and what a stroke makes of it. @param {string} site '' for none */
function under(site) {
  const isDraw = mode === "edit";
  hovered = board.sites.has(site) ? site : "";
  const told = hovered ? [board.words(site), isDraw ? tools.told(site) : board.heat.get(site)?.title] : [];
  $("under").textContent = told.filter(Boolean).join(isDraw ? ", " : " – ");
}
board.addEventListener("board-hover", (event) => under(event.detail.site));
board.addEventListener("board-letter", ({ detail }) => {
  if (mode === "edit") tools.letter(detail.key, detail.site);
});

document.addEventListener("keydown", (event) => {
  const isField = event.target instanceof HTMLInputElement && /^(text|search|number)$/.test(event.target.type);
  const isText = isField || event.target instanceof HTMLTextAreaElement;
  if (!(bench || shop.isOpen) || $("bench").hidden || isText || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase(), isBack = key === "z" && !event.shiftKey;
  if (!isBack && key !== "y" && key !== "z") return;
  event.preventDefault();
  if (isBack) past.undo(); else past.redo();
});

// ---- answers

const answers = () => answering.refresh();

/**
 * Offer the measures of an evaluator for analyses, or say why it has none.
 * @param {string} evaluator @param {string} [reason]
 */
function offer(evaluator, reason) {
  for (const form of [changes.wish, sketch.wish]) form.refuse(evaluator, reason);
  for (const option of document.querySelectorAll("#metric2 option")) {
    if (option.value.split("/")[0] !== evaluator) continue;
    option.disabled = Boolean(reason);
    option.title = reason ?? option.title;
  }
}

// ---- analysis

function choices() {
  const own = ({ name, metrics }) => metrics.map((metric) => ({ ...metric, evaluator: name }));
  const measures = domainOf().evaluators.flatMap(own);
  changes.begin(measures);
  sketch.begin(measures);
}

const stop = () => changes.stop();
function question() {
  const [evaluator, metric] = changes.wish.choice.split("/");
  return { domain: bench.domain, text: bench.text, evaluator, metric, rules: rules() };
}

const running = new Running({ el, attempt, trouble, db: () => settings.db });
const record = (request, where) => running.record(request, where);
const track = (states, where) => running.track(states, where);
const told = (message) => running.told(message);

$("share").onclick = () => {
  const file = bench.ofProject ? project.file : "";
  $("shared").hidden = false;
  void record({ job: "share", domain: bench.domain, text: bench.text, file }, $("shared"));
};

// ---- play

const play = new PlayPanel({
  board, el, attempt, bench: () => bench, mode: () => mode, hasProject: () => Boolean(settings.project),
  held: (key) => casting.key(key), lay: (sites) => casting.lay(sites), note,
  works: () => past.show(), moved: () => { past.show(); void casting.follow(); },
});

function setMode(name, isPressed = false) {
  if (mode !== name) scrollTo(0, 0);
  mode = shownMode = name;
  turned(name, isPressed);
  pressed(name);
  if (bench.ofProject) project.remember({ mode });
  for (const part of document.querySelectorAll("[data-in]")) part.hidden = !part.dataset.in.split(" ").includes(name);
  document.body.classList.toggle("playing", name === "play");
  document.body.dataset.work = name;
  if (casting.turned(name)) $("palette-section").hidden = false;
  play.leave();
  past.show();
  $("note").textContent = bench.scene.note;
  under("");
  board.leaveOpen(new Set());
  board.heat = new Map();
  if (name === "play") { tools.follow(); return play.restart(); }
  board.show(bench.scene, bench.palette);
  changes.recolour();
  tools.follow();
  if (name === "analyse") changes.follow();
  if (name === "sketch") sketch.follow();
  $("within").hidden = name !== "analyse" || !changes.region.length;
}
$("modes").onclick = async ({ target }) => {
  const name = target.closest("[data-mode]")?.dataset.mode;
  if (!name) return;
  if (shop.isOpen && !$("bench").hidden) {
    if (name === "edit") return;
    await attempt(() => project.choose(Math.max(0, project.level)));
    if (shop.isOpen) return;
  }
  if (!bench) { mode = name; location.hash = project.home(); return; }
  const isBack = $("bench").hidden; // the tab leads back from questions and chapters
  if (isBack) { mode = name; went(bench.ofProject ? project.address : addressOf(bench)); show(); }
  setMode(name, !isBack);
};
$("pages").onclick = () => { if ($("pages").matches(":popover-open")) $("pages").hidePopover(); };

const locks = new LockSteps(
  () => bench, () => (location.hash.startsWith("#file/") ? project.steps : steps),
  () => { board.lock(bench.locked); past.show(); if (mode === "analyse") changes.kinds.count(); },
);
const tools = new DrawTools({
  held: (key) => casting.key(key),
  locks, board, el, attempt, step, palette, paint, note, bench: () => bench, mode: () => mode,
});

const casting = new Casting({
  board, note, bench: () => bench, mode: () => mode, palette: () => palette, play: () => play, tools: () => tools,
});

// ---- changes, sketches and questions

const answering = new AnswersPanel({
  el, attempt, rules, offer, question, record, bench: () => bench, domain: domainOf,
  play: (solution) => { setMode("play"); play.show(solution); }, spoilers: () => changes.recolour(),
});
const changes = new ChangesPanel({
  lock: (sites) => tools.lock(sites),
  board, el, attempt, trouble, record, question, shown, step, bench: () => bench, mode: () => mode,
});

const sketch = new SketchPanel({
  board, el, attempt, trouble, record, question, price, shown, bench: () => bench, mode: () => mode,
  into: (puzzle, measure) => into.open(puzzle, measure),
  adoptText: (text, label, stays = false) => attempt(async () => {
    step(await one("open", { domain: bench.domain, text }), label);
    if (stays) sketch.changed(); else setMode("edit");
  }),
});

const asking = new AskPage({
  el, attempt, trouble, record, price, shown, copied, bench: () => bench, project: () => project, shop: () => shop,
  settings: () => settings, adoptPuzzle, into: (puzzle, measure) => into.open(puzzle, measure),
});

const first = new FirstPage({
  el, attempt, told, track, open, adopt,
  domains: () => domains, settings: () => settings, flush: () => project.flush(),
});

const past = new Past({
  el, attempt,
  source: () => {
    if (shop.isOpen) return project.steps;
    if (bench && mode === "play") return played;
    return $("bench").classList.contains("bare") ? project.steps : bench && locks;
  },
  text: () => project.text,
});

const shop = new Workshop({
  attempt, trouble, project: () => project, changed: () => past.show(),
  draw: () => { if (bench && mode !== "edit") setMode("edit"); },
  question: async (text) => { asking.draft(text); location.hash = "#ask"; },
});
const project = new ProjectPage({
  shop: () => shop, el, attempt, trouble, bare, bench: () => bench, changed: () => past.show(),
  wordOf: (domain) => domains.find((each) => each.domain === domain)?.word ?? ["level", "levels"],
  adopt: (opened) => adopt(opened, true),
  put: (it) => { bench.palette = it.palette; bench.turned = new Set(); palette.show(); steps.take(it, "text"); },
  note,
});
const arranging = new ArrangePage({ el, attempt, trouble, record, track, shown, adoptPuzzle, domains: () => domains });
const into = new IntoDialog({ el });
function adoptPuzzle(puzzle, as = mode) {
  return attempt(async () => {
    const opened = await one("puzzle", { puzzle });
    mode = as;
    adopt(opened);
  });
}
$("bench-into").onclick = () => into.open({ domain: bench.domain, text: bench.text }, question().metric);

// ---- opening

addEventListener("hashchange", () => following(follow));
onReturn((tab) => {
  mode = tab === "play" && bench && !bench.playable ? "edit" : tab;
  if (bench && location.hash === (bench.ofProject ? project.address : addressOf(bench))) again();
});

for (const [id, name, panel] of [["wish", "wish", changes], ["sketch-wish", "fill", sketch]]) {
  const kept = () => { if (bench?.ofProject) project.remember({ [name]: panel.wish.value() }); };
  $(id).addEventListener("change", kept);
}

following(() => attempt(begin));
