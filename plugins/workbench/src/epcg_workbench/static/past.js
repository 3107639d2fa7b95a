// Undo, redo and the history in the bar: of the file that is open, or of a content outside of projects.
// @ts-check
import { $, attempt, el } from "./base.js";
import { railsOf } from "./past_rails.js";
import { pictureOf } from "./pictures.js";
import { counted } from "./words.js";

const MOST_ROWS = 300, NEAR = "200px";

export class Past {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** What undo and redo are about in play: the moves and the list of levels, not the drawing. @type {PastSteps} */
    this.played = {
      get canUndo() { return state.panels.play.canUndo || isOfList(state, -1); },
      get canRedo() { return !state.panels.play.canUndo && isOfList(state, 1); },
      undo: () => {
        const { locks, play } = state.panels;
        return play.canUndo ? play.undo() : isOfList(state, -1) && locks.undo();
      },
      redo: () => !state.panels.play.canUndo && isOfList(state, 1) && state.panels.locks.redo(),
      go: (key) => state.panels.locks.go(key),
      rows: () => state.panels.locks.rows(),
      picture: (key) => state.panels.locks.picture(key),
    };
    this.shown = 0;
    /** @type {Set<Element>} Places of pictures that are in view and not drawn. */ this.wanted = new Set();
    this.drawing = false;
    this.seen = new IntersectionObserver((entries) => this.#moved(entries), { root: $("past"), rootMargin: NEAR });
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

  undo() { return this.#turn("undo"); }
  redo() { return this.#turn("redo"); }

  /** Undo or redo, after what is being done. @param {"undo" | "redo"} how */
  #turn(how) {
    return attempt(async () => {
      await this.state.panels.project.acts.acting;
      if (this.state.mode === "play") await this.state.panels.play.player.work;
      await this.#source?.[how]();
      this.show();
    });
  }

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
    const shown = rows.slice(0, MOST_ROWS), rails = railsOf(shown);
    this.#forget();
    $("history").replaceChildren(...shown.map((row, number) => {
      const look = () => attempt(() => this.#look(row.key));
      const words = el("span", { class: "words" }, el("span", {}, row.label), el("small", {}, about(row)));
      const acts = { onclick: () => this.#go(row.key), onfocus: look, onpointerenter: look };
      const is = { "data-key": row.key, "aria-current": row.isCurrent && "true", ...acts };
      const place = el("span", { class: "look", "aria-hidden": "true" });
      this.seen.observe(place);
      return el("li", { "data-lane": row.lane }, el("button", is, rails[number], place, words));
    }));
    if (more > 0) $("history").append(el("li", { class: "muted" }, `${counted(more, "older state")} not listed.`));
    if (gone) $("history").append(el("li", { class: "muted" }, `${counted(gone, "older save")} no longer remembered.`));
    $("past-picture").replaceChildren();
    const again = [...$("history").querySelectorAll("button")].find(({ dataset }) => dataset.key === held);
    again?.focus();
  }

  /** Draw no more of what was listed. */
  #forget() { this.seen.disconnect(); this.wanted.clear(); }

  /** Draw the small pictures that come into view, one after the other. @param {IntersectionObserverEntry[]} entries */
  async #moved(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !target.firstChild) this.wanted.add(target); else this.wanted.delete(target);
    }
    if (this.drawing) return;
    this.drawing = true;
    for (const place of this.wanted) {
      this.wanted.delete(place);
      const key = place.closest("button")?.dataset.key ?? "";
      const found = await Promise.resolve(this.#source?.picture(key)).catch(() => ""); // its words are enough
      if (found) place.replaceChildren(drawn(found));
    }
    this.drawing = false;
  }

  /** @param {string} key */
  #go(key) { return attempt(async () => { await this.#source?.go(key); this.show(); }); }

  /** Show what a state looks like. @param {string} key */
  async #look(key) {
    const asked = ++this.shown, found = await this.#source?.picture(key);
    if (asked === this.shown) $("past-picture").replaceChildren(...(found ? [drawn(found)] : []));
  }
}

/** @param {Exclude<PastPicture, "">} found */
function drawn(found) {
  if (typeof found === "string") return el("img", { alt: "", src: pictureOf(found) });
  const board = el("epcg-board", { "aria-hidden": "true" });
  board.show(found.scene, found.palette);
  return board;
}

/** What stands below the label of a state. @param {PastRow} row */
const about = ({ at, lane }) => [at ? clock(at) : "", lane ? `branch ${lane + 1}` : ""].filter(Boolean).join(", ");

/** Whether undo or redo is about the open file's list of levels. @param {State} state @param {-1 | 1} by */
const isOfList = ({ bench, panels }, by) => bench.ofProject && panels.project.acts.isNext(by);

/** A time of today, or a day. @param {number} at */
function clock(at) {
  const time = new Date(at);
  if (time.toDateString() !== new Date().toDateString()) return time.toLocaleDateString();
  return time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
