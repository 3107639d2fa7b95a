// Answers of a sketch as pictures, cut out around the open places; each can be taken, gone on from, and pinned.
// @ts-check
import { one } from "./api.js";
import { $, attempt, el } from "./base.js";
import { step } from "./bench.js";
import { icon } from "./drawing.js";
import { PIN } from "./suggestions.js";
import { setMode } from "./tabs.js";
import { shown, titled } from "./words.js";

const PLUS = "M8 3v10M3 8h10";

/** @typedef {{found: Filling, metric: string, names: string[]}} Pin an answer, and the measures that are told of it */

export class Fillings {
  /**
   * @param {State} state @param {import("./wish.js").WishForm} wish @param {Set<string>} sites the open places
   */
  constructor(state, wish, sites) {
    this.state = state;
    this.wish = wish;
    this.sites = sites;
    /** @type {Pin[]} Answers that are kept in view. */ this.pins = [];
    /** The text of the answer that was taken last. */ this.taken = "";
  }

  /** Forget what is pinned of another content. */
  reset() {
    this.pins = [];
    $("sketch-pins").replaceChildren();
  }

  /** Whether the pictures show only what lies around the open places. */
  get isCut() {
    const { board } = this.state,
      [, , width, height] = board.bare,
      [, , w, h] = board.around(this.sites);
    return w * h < 0.8 * width * height;
  }

  /** @param {Filling} found @param {string} metric @param {string[]} names */
  tile(found, metric, names) {
    const title = (/** @type {string} */ name) => this.wish.title(name);
    const small = el("epcg-board"),
      { bench, panels } = this.state,
      value = found.scores[metric];
    const others = names
      .filter((name) => name !== metric && name in found.scores)
      .map((name) => `${title(name)} ${shown(found.scores[name])}`)
      .join(", ");
    const words = titled(title(metric), value, "", this.wish.measure(metric)?.words);
    const label = `filled: ${words}`,
      puzzle = { domain: bench.domain, text: found.text };
    const take = () => this.#take(found.text, label, false);
    const on = () => this.#take(found.text, label, true);
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
          onclick: () => panels.into.open(puzzle, metric),
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
    small.show(found.scene, bench.palette);
    small.choose(this.sites);
    if (this.isCut) small.crop(this.sites);
    return el("li", {}, open, acts);
  }

  /** Take an answer. @param {string} text @param {string} label @param {boolean} stays whether one goes on filling */
  #take(text, label, stays) {
    this.taken = text;
    return attempt(async () => {
      step(this.state, await one("open", { domain: this.state.bench.domain, text }), label);
      if (stays) this.state.panels.sketch.changed();
      else setMode(this.state, "edit");
    });
  }

  /** @param {Filling} found @param {string} metric @param {string[]} names */
  #pin(found, metric, names) {
    const isPinned = this.pins.some((each) => each.found.text === found.text);
    this.pins = isPinned
      ? this.pins.filter((each) => each.found.text !== found.text)
      : [...this.pins, { found, metric, names }];
    const tiles = this.pins.map((each) => this.tile(each.found, each.metric, each.names));
    const heading = tiles.length ? [el("p", { class: "kind" }, "Pinned")] : [];
    $("sketch-pins").replaceChildren(...heading, el("ul", { class: "tiles fillings" }, ...tiles));
  }
}
