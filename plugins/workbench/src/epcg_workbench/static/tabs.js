// The pages and the tabs: which of them is shown.
// @ts-check
import { turned } from "./address.js";
import { $, all, within } from "./base.js";

/** Move the focus to what is shown: to the board, else to the page. */
export function arrive() {
  const page = all(document, "main").find((each) => !each.hidden);
  (page === $("bench") && $("board").checkVisibility() ? $("board") : page)?.focus({ preventScroll: true });
}

/** Show one of the pages. @param {State} state @param {PageName} name */
export function turn(state, name) {
  for (const each of /** @type {PageName[]} */ (["start", "bench", "ask", "curricula"])) $(each).hidden = each !== name;
  $("share").hidden = $("past-bar").hidden = name !== "bench";
  $("modes").hidden = name === "start" || !(state.opened || state.panels.project.home());
  const isOther = document.body.dataset.page !== name;
  if (isOther) scrollTo(0, 0);
  document.body.dataset.page = name;
  if (isOther && document.activeElement?.closest("main[hidden]")) arrive(); // else the focus would be lost
  pressed(name === "bench" ? state.mode : "");
  for (const link of $("pages").children) {
    link.setAttribute("aria-current", String(link.getAttribute("href") === `#${name}`));
  }
}

/** Show which of the tabs is open. @param {string} name */
function pressed(name) {
  for (const button of within($("modes"))) button.setAttribute("aria-pressed", String(button.dataset.mode === name));
}

/** Show the tab of Play as far as what stands on the board can be played. @param {State} state */
export function offerPlay(state) {
  for (const button of $("modes").querySelectorAll("button")) {
    if (button.dataset.mode === "play") button.disabled = !state.bench.playable;
  }
}

/**
 * Turn to a tab, with what stands on the board.
 * @param {State} state @param {Mode} name @param {boolean} [isPressed] whether its button was pressed
 */
export function setMode(state, name, isPressed = false) {
  const { bench, board } = state, { casting, changes, past, play, project, sketch, tools } = state.panels;
  if (state.mode !== name) scrollTo(0, 0);
  state.mode = state.shownMode = name;
  turned(name, isPressed);
  pressed(name);
  if (bench.ofProject) project.remember({ mode: name });
  for (const part of all(document, "[data-in]")) part.hidden = !part.dataset.in?.split(" ").includes(name);
  document.body.classList.toggle("playing", name === "play");
  document.body.dataset.work = name;
  if (casting.turned(name)) $("palette-section").hidden = false;
  play.leave();
  past.show();
  $("note").textContent = bench.scene.note;
  under(state, "");
  board.leaveOpen(new Set());
  board.heat = new Map();
  if (name === "play") { tools.follow(); void play.restart(); return; }
  board.show(bench.scene, bench.palette);
  changes.recolour();
  tools.follow();
  if (name === "analyse") changes.follow();
  if (name === "sketch") sketch.follow();
  $("within").hidden = name !== "analyse" || !changes.region.length;
}

/** Turn to the tab with which one was here before. @param {State} state */
export function again(state) {
  if (state.mode !== state.shownMode && !$("bench").hidden) setMode(state, state.mode);
}

/**
 * Tell what lies on a place, and what a stroke makes of it.
 * @param {State} state @param {string} site '' for none
 */
export function under(state, site) {
  const { board, mode } = state, isDraw = mode === "edit";
  state.hovered = board.sites.has(site) ? site : "";
  const act = isDraw ? state.panels.tools.told(site) : board.heat.get(site)?.title;
  const told = state.hovered ? [board.words(site), act] : [];
  $("under").textContent = told.filter(Boolean).join(isDraw ? ", " : " – ");
}
