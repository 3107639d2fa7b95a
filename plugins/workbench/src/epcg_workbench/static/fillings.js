// Answers of a sketch as pictures, cut out around the open places; each can be taken, gone on from, and pinned.
// @ts-check
import { EpcgBoard } from "./board.js";
import { icon } from "./drawing.js";
import { PIN } from "./suggestions.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const PLUS = "M8 3v10M3 8h10";

export class Fillings {
  /** @param {any} page @param {any} wish the wish's form @param {Set<string>} sites the open places */
  constructor(page, wish, sites) {
    this.page = page;
    this.wish = wish;
    this.sites = sites;
    /** @type {any[]} Answers that are kept in view. */ this.pins = [];
    /** The text of the answer that was taken last. */ this.taken = "";
  }

  /** Forget what is pinned of another content. */
  reset() {
    this.pins = [];
    $("sketch-pins").replaceChildren();
  }

  /** Whether the pictures show only what lies around the open places. */
  get isCut() {
    const { board } = this.page,
      [, , width, height] = board.bare ?? [0, 0, 1, 1],
      [, , w, h] = board.around(this.sites);
    return w * h < 0.8 * width * height;
  }

  /** @param {any} found @param {string} metric @param {string[]} names */
  tile(found, metric, names) {
    const { el, bench, shown, into } = this.page,
      title = (/** @type {string} */ name) => this.wish.title(name);
    const small = /** @type {EpcgBoard} */ (el("epcg-board")),
      value = found.scores[metric];
    const others = names
      .filter((name) => name !== metric && name in found.scores)
      .map((name) => `${title(name)} ${shown(found.scores[name])}`)
      .join(", ");
    const words =
      typeof value === "number" ? `${shown(value)} ${title(metric)}` : `${title(metric)}: ${shown(value)}`;
    const label = `filled: ${words}`,
      puzzle = { domain: bench().domain, text: found.text };
    const take = () => {
      this.taken = found.text;
      return this.page.adoptText(found.text, label);
    };
    const on = () => {
      this.taken = found.text;
      return this.page.adoptText(found.text, label, true);
    };
    const open = el(
      "button",
      { class: "filling", title: "Take it, and go on drawing", onclick: take },
      small,
      el("b", {}, words),
      ...(others ? [el("small", { class: "muted" }, others)] : []),
    );
    const acts = el(
      "span",
      { class: "acts" },
      el("button", { class: "on", title: "Take it, and go on filling", onclick: on }, "Go on"),
      el(
        "button",
        {
          class: "into",
          "aria-label": `Into a chapter: ${words}`,
          title: "Into a chapter",
          onclick: () => into(puzzle, metric),
        },
        icon(PLUS),
      ),
      el(
        "button",
        {
          class: "pin",
          "aria-label": `Pin: ${words}`,
          title: "Pin: keep it in view",
          onclick: () => this.#pin(found, metric, names),
        },
        icon(PIN),
      ),
    );
    small.show(found.scene, bench().palette);
    small.choose(this.sites);
    if (this.isCut) small.crop(this.sites);
    return el("li", {}, open, acts);
  }

  /** @param {any} found @param {string} metric @param {string[]} names */
  #pin(found, metric, names) {
    const { el } = this.page,
      isPinned = this.pins.some((each) => each.found.text === found.text);
    this.pins = isPinned
      ? this.pins.filter((each) => each.found.text !== found.text)
      : [...this.pins, { found, metric, names }];
    const tiles = this.pins.map((each) => this.tile(each.found, each.metric, each.names));
    const heading = tiles.length ? [el("p", { class: "kind" }, "Pinned")] : [];
    $("sketch-pins").replaceChildren(...heading, el("ul", { class: "tiles fillings" }, ...tiles));
  }
}
