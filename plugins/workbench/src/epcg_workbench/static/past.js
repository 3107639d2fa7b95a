// Undo, redo and the history in the bar: of the file that is open, or of a content outside of projects.
// @ts-check
import { EpcgBoard } from "./board.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
/** The address of a picture. @param {string} svg */
export const pictureOf = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
const MOST_ROWS = 300, LANES = 6;

export class Past {
  /**
   * @param {any} page `el`, `attempt`, and `source()`: { canUndo, canRedo, undo, redo, go, rows, picture }, `text()`
   */
  constructor(page) {
    this.page = page;
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

  undo() { return this.page.attempt(async () => { await this.page.source()?.undo(); this.show(); }); }
  redo() { return this.page.attempt(async () => { await this.page.source()?.redo(); this.show(); }); }

  /** Show what can be undone, and the list if it is open. */
  show() {
    const source = this.page.source();
    $("undo").disabled = !source?.canUndo;
    $("redo").disabled = !source?.canRedo;
    if ($("past").matches(":popover-open")) this.#list();
  }

  #list() {
    const { el, attempt, source } = this.page, rows = source()?.rows() ?? [];
    const held = document.activeElement?.closest("#history button")?.getAttribute("data-key");
    $("history").replaceChildren(...rows.slice(0, MOST_ROWS).map((row) => {
      const look = () => attempt(() => this.#look(row));
      const words = [el("span", {}, row.label), el("small", {}, row.at ? clock(row.at) : "")];
      const acts = { onclick: () => this.#go(row.key), onfocus: look, onpointerenter: look };
      const about = { "data-key": row.key, "aria-current": row.isCurrent && "true", ...acts };
      return el("li", { class: `lane${Math.min(row.lane, LANES - 1)}` }, el("button", about, ...words));
    }));
    $("past-picture").replaceChildren();
    const again = [...$("history").querySelectorAll("button")].find(({ dataset }) => dataset.key === held);
    again?.focus();
  }

  #go(key) { return this.page.attempt(async () => { await this.page.source().go(key); this.show(); }); }

  /** Show what a state looks like. */
  async #look({ key }) {
    const asked = ++this.shown, found = await this.page.source().picture(key, this.page.text());
    if (asked !== this.shown) return;
    const { el } = this.page, holder = $("past-picture");
    if (!found) return holder.replaceChildren();
    if (typeof found === "string") return holder.replaceChildren(el("img", { alt: "", src: pictureOf(found) }));
    const board = /** @type {EpcgBoard} */ (el("epcg-board", { "aria-hidden": "true" }));
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
