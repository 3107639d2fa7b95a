// Undo, redo and the history in the bar: of the file that is open, or of a content outside of projects.
// @ts-check
import { $, attempt, el } from "./base.js";
import { pictureOf } from "./pictures.js";
import { counted } from "./words.js";

const MOST_ROWS = 300, LANES = 6;

export class Past {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** What undo and redo are about in play: the moves, never the drawing. @type {PastSteps} */
    this.played = {
      get canUndo() { return state.panels.play.canUndo; },
      canRedo: false,
      undo: () => state.panels.play.undo(),
      redo: () => {}, go: () => {}, rows: () => [], picture: () => "",
    };
    this.shown = 0;
    $("undo").onclick = () => this.undo();
    $("redo").onclick = () => this.redo();
    $("more-history").onclick = (event) => {
      event.stopPropagation();
      $("pages").hidePopover();
      $("past").showPopover();
    };
    $("past").addEventListener("toggle", (event) => { if (event.newState === "open") this.#list(); });
  }

  /** What undo, redo and the list are about now; null if nothing stands on the board. @returns {PastSteps | null} */
  get #source() {
    const { opened, mode, panels } = this.state;
    if (panels.shop.isOpen) return panels.project.steps;
    if (opened && mode === "play") return this.played;
    return $("bench").classList.contains("bare") ? panels.project.steps : opened && panels.locks;
  }

  undo() { return attempt(async () => { await this.#source?.undo(); this.show(); }); }
  redo() { return attempt(async () => { await this.#source?.redo(); this.show(); }); }

  /** Show what can be undone, and the list if it is open. */
  show() {
    const source = this.#source;
    $("undo").disabled = !source?.canUndo;
    $("redo").disabled = !source?.canRedo;
    if ($("past").matches(":popover-open")) this.#list();
  }

  #list() {
    const rows = this.#source?.rows() ?? [], gone = this.#source?.dropped ?? 0, more = rows.length - MOST_ROWS;
    const held = document.activeElement?.closest("#history button")?.getAttribute("data-key");
    $("history").replaceChildren(...rows.slice(0, MOST_ROWS).map((row) => {
      const look = () => attempt(() => this.#look(row.key));
      const words = [el("span", {}, row.label), el("small", {}, row.at ? clock(row.at) : "")];
      const acts = { onclick: () => this.#go(row.key), onfocus: look, onpointerenter: look };
      const about = { "data-key": row.key, "aria-current": row.isCurrent && "true", ...acts };
      return el("li", { class: `lane${Math.min(row.lane, LANES - 1)}` }, el("button", about, ...words));
    }));
    if (more > 0) $("history").append(el("li", { class: "muted" }, `${counted(more, "older state")} not listed.`));
    if (gone) $("history").append(el("li", { class: "muted" }, `${counted(gone, "older save")} no longer remembered.`));
    $("past-picture").replaceChildren();
    const again = [...$("history").querySelectorAll("button")].find(({ dataset }) => dataset.key === held);
    again?.focus();
  }

  /** @param {string} key */
  #go(key) { return attempt(async () => { await this.#source?.go(key); this.show(); }); }

  /** Show what a state looks like. @param {string} key */
  async #look(key) {
    const asked = ++this.shown, found = await this.#source?.picture(key, this.state.panels.project.text);
    if (asked !== this.shown) return;
    const holder = $("past-picture");
    if (!found) return holder.replaceChildren();
    if (typeof found === "string") return holder.replaceChildren(el("img", { alt: "", src: pictureOf(found) }));
    const board = el("epcg-board", { "aria-hidden": "true" });
    holder.replaceChildren(board);
    board.show(found.scene, found.palette);
  }
}

/** A time of today, or a day. @param {number} at */
function clock(at) {
  const time = new Date(at);
  if (time.toDateString() !== new Date().toDateString()) return time.toLocaleDateString();
  return time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
