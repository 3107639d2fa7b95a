// The page of the workbench: it makes the parts, binds what they hear of each other, and follows the address.
// @ts-check
import { following, onReturn, went } from "./address.js";
import { AnswersPanel } from "./answers.js";
import { ask, one, read, whileCompiling } from "./api.js";
import { ArrangePage } from "./arrange.js";
import { ArtDialog } from "./art.js";
import { AskPage } from "./ask.js";
import { $, all, around, attempt, belongs, el, headed, note } from "./base.js";
import { addressOf, adopt, bare, show } from "./bench.js";
import { BenchSteps } from "./bench_steps.js";
import { Casting } from "./casting.js";
import { ChangesPanel } from "./changes.js";
import { Connection } from "./connection.js";
import { DocumentButtons } from "./documents.js";
import { DrawTools } from "./drawing.js";
import { FirstPage } from "./first.js";
import { GamePlay } from "./gameplay.js";
import { IntoDialog } from "./into.js";
import { LINKED } from "./linked.js";
import { LockSteps } from "./lock_steps.js";
import { hasEntered } from "./making.js";
import { Palette } from "./palette.js";
import { Past } from "./past.js";
import { PlayPanel } from "./playing.js";
import { ProjectPage } from "./project.js";
import { Recent } from "./recent.js";
import { ShareDialog } from "./sharing.js";
import { SketchPanel } from "./sketch.js";
import { State } from "./state.js";
import { again, arrive, setMode, turn, under } from "./tabs.js";
import { Workshop } from "./workshop.js";

/** @type {Mode[]} */
const MODES = ["edit", "sketch", "play", "analyse"];
const state = new State($("board"));

whileCompiling((isCompiling) => { $("once").hidden = !isCompiling; });

// ---- parts

/** Make the parts of the page; they read the state, and each other through it. @returns {Panels} */
function parts() {
  const { board } = state;
  return {
    answers: new AnswersPanel(state),
    arrange: new ArrangePage(state),
    art: new ArtDialog(state),
    ask: new AskPage(state),
    casting: new Casting(state),
    changes: new ChangesPanel(state),
    documents: new DocumentButtons(state),
    first: new FirstPage(state),
    game: new GamePlay(state),
    into: new IntoDialog(),
    locks: new LockSteps(state, stepsNow, locked),
    palette: new Palette(state),
    past: new Past(state),
    play: new PlayPanel(state),
    project: new ProjectPage(state),
    recent: new Recent(state),
    share: new ShareDialog(state),
    shop: new Workshop(state),
    sketch: new SketchPanel(state),
    steps: new BenchSteps(state, (step) => show(state, step)),
    tools: new DrawTools(state),
  };
}

/** The history of texts: of the open file, or of a content outside of projects. */
function stepsNow() {
  return location.hash.startsWith("#file/") ? state.panels.project.steps : state.panels.steps;
}

/** Show the locks of what stands on the board. */
function locked() {
  state.board.lock(state.bench.locked);
  state.panels.past.show();
  if (state.mode === "analyse") state.panels.changes.kinds.count();
}

state.panels = parts();
const { panels } = state;

// ---- start

let isBegun = false;

async function begin() {
  const { changes, project, sketch } = panels;
  /** @type {Settings} */ const settings = await read("settings");
  state.settings = settings;
  $("data").hidden = !settings.data;
  for (const { address, summary, title } of settings.pages) {
    $("others").append(" ", el("a", { href: address, title: summary }, title));
  }
  state.domains = [];
  for await (const domain of ask("domains")) state.domains.push(domain);
  for (const { domain, title } of state.domains) $("paste-domain").append(el("option", { value: domain }, title));
  const before = MODES.find((mode) => mode === history.state?.tab); // of this tab, which is loaded again
  state.mode = before ?? state.mode;
  if (settings.project) {
    belongs(settings.folder);
    const kept = await project.begin(settings.folder);
    state.mode = before ?? MODES.find((mode) => mode === kept.mode) ?? state.mode;
    if (kept.wish) Object.assign(changes.wish.wish, kept.wish);
    if (kept.fill) Object.assign(sketch.wish.wish, kept.fill);
  }
  if (settings.start && !location.hash) history.replaceState(null, "", `#${settings.start}`);
  else if (settings.project && !location.hash) history.replaceState(null, "", project.last() || "#/");
  await follow();
  if (hasEntered()) arrive();
  isBegun = true;
}

/** Go on after a time without a server: send what waits for it, and ask for what it has not answered. */
async function goOn() {
  if (!isBegun) { location.reload(); return; }
  const { answers, ask: asking, project, recent, shop } = panels;
  await shop.goOn();
  await project.goOn();
  await Promise.all([recent.keepNow(), asking.goOn()]);
  if (state.opened && !$("bench").hidden) void answers.refresh();
}
new Connection(goOn);

// ---- the address

/** Decode a part of the address; one that a person has typed may not be encoded. @param {string} part */
function plain(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

/** Show what the address names. */
async function follow() {
  const { arrange, ask: asking, changes, past, project } = panels;
  if (/^#(ask|curricula)(\/|$)/.test(location.hash)) project.remember({ page: location.hash });
  const [page, ...named] = location.hash.split("/"), name = plain(named.join("/"));
  if (location.hash.startsWith(LINKED)) {
    start();
    return attempt(() => panels.first.linked());
  }
  if (page === "#ask") {
    changes.stop();
    turn(state, "ask");
    headed("ask", "Ask");
    return asking.open(name);
  }
  if (page === "#curricula") {
    changes.stop();
    turn(state, "curricula");
    return arrange.open(name);
  }
  if (page === "#file") {
    turn(state, "bench");
    await attempt(() => project.follow(location.hash));
    past.show();
    return state.opened ? again(state) : bare(state);
  }
  const [domain, text] = [named[0] ?? "", named.slice(1).join("/")].map(plain);
  if (!domain) return start();
  const { opened } = state;
  if (opened?.domain === domain && opened.text === text && !opened.ofProject) {
    show(state);
    return again(state);
  }
  const found = await attempt(() => (text ? one("open", { domain, text }) : one("new", { domain })));
  if (found) adopt(state, found);
  else if (!opened) start();
  return undefined;
}

/** Show the first page. */
function start() {
  panels.changes.stop();
  turn(state, "start");
  headed("start", "");
  void attempt(async () => { await panels.recent.keepNow(); panels.first.open(); });
}

/** Whether the address is that of what stands on the board. */
const isHere = () => state.opened !== null && location.hash === addressOf(state);

// ---- events

let waiting = Promise.resolve();
state.board.addEventListener("board-stroke", ({ detail }) => {
  const { changes, sketch, tools } = panels, { sites, erase } = detail;
  if (state.mode === "play") return; // the player hears it itself
  if (state.mode === "sketch") sketch.stroke(sites, erase);
  else if (state.mode === "analyse") changes.stroke(sites, detail);
  else waiting = waiting.then(async () => { await tools.stroke(detail); });
});
state.board.addEventListener("board-cursor", ({ detail }) => note(detail.words));
state.board.addEventListener("board-hover", ({ detail }) => under(state, detail.site));
state.board.addEventListener("board-letter", ({ detail }) => {
  if (state.mode === "edit") panels.tools.letter(detail.key, detail.site);
});

document.addEventListener("keydown", (event) => {
  const isField = event.target instanceof HTMLInputElement && /^(text|search|number)$/.test(event.target.type);
  const isTyped = event.target !== $("source") || panels.project.pane.isTyped; // what came otherwise is a step
  const isText = isField || (event.target instanceof HTMLTextAreaElement && isTyped);
  const isCommand = event.ctrlKey || event.metaKey;
  if (!(state.opened || panels.project.file) || $("bench").hidden || isText || !isCommand) return;
  const key = event.key.toLowerCase(), isBack = key === "z" && !event.shiftKey;
  if (!isBack && key !== "y" && key !== "z") return;
  event.preventDefault();
  void (isBack ? panels.past.undo() : panels.past.redo());
});

// Alt, Shift and the number of a tab turn to it; the codes of keys do not depend on what a keyboard writes with them
document.addEventListener("keydown", (event) => {
  const number = /^Digit([1-6])$/.exec(event.code)?.[1];
  if (!number || !event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return;
  const tab = all($("tabs"), "[aria-keyshortcuts]")[Number(number) - 1];
  event.preventDefault();
  if (tab && tab.checkVisibility()) tab.click();
});

$("skip").onclick = arrive;

$("modes").onclick = async (event) => {
  const { project, shop } = panels, pressed = around(event, "[data-mode]")?.dataset.mode;
  const name = MODES.find((mode) => mode === pressed);
  if (!name) return;
  if (shop.isOpen && !$("bench").hidden) {
    if (name === "edit") return;
    await attempt(() => project.choose(Math.max(0, project.level)));
    if (shop.isOpen) return;
  }
  if (!state.opened) { state.mode = name; location.hash = project.home(); return; }
  const isBack = Boolean($("bench").hidden); // the tab leads back from questions and chapters
  if (isBack) { state.mode = name; went(addressOf(state)); show(state); }
  setMode(state, name, !isBack);
};
$("pages").onclick = () => { if ($("pages").matches(":popover-open")) $("pages").hidePopover(); };
$("bench-into").onclick = () => {
  const { domain, text } = state.bench;
  void panels.into.open({ domain, text }, panels.changes.wish.choice.split("/")[1]);
};

// what is wished for is remembered with the project
$("wish").addEventListener("change", () => {
  if (state.opened?.ofProject) panels.project.remember({ wish: panels.changes.wish.value() });
});
$("sketch-wish").addEventListener("change", () => {
  if (state.opened?.ofProject) panels.project.remember({ fill: panels.sketch.wish.value() });
});

addEventListener("hashchange", () => following(follow));
onReturn((tab) => {
  const mode = MODES.find((each) => each === tab) ?? "edit";
  state.mode = mode === "play" && state.opened && !state.opened.playable ? "edit" : mode;
  if (isHere()) again(state);
});

following(() => attempt(begin));
