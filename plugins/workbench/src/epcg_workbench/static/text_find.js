// Find: words in the text of a file, one after the other, and how many there are. Ctrl F within the text opens it.
// @ts-check
import { el } from "./base.js";
import { foundIn } from "./colouring.js";
import { LINE, placeOf } from "./text_layer.js";

/** @typedef {import("./colouring.js").Range} Range */

export class TextFind {
  /** @param {HTMLElement} pane @param {import("./text_layer.js").TextLayer} layer */
  constructor(pane, layer) {
    this.layer = layer;
    /** @type {number[]} */ this.places = [];
    this.at = -1;
    const press = (/** @type {number} */ by) => () => this.#go(by);
    const about = { type: "search", id: "find-words", "aria-label": "Find", placeholder: "Find", spellcheck: "false" };
    this.field = /** @type {HTMLInputElement} */ (el("input", { ...about, autocomplete: "off" }));
    this.count = el("span", { id: "find-count", "aria-live": "polite" });
    this.bar = el("p", { id: "find", role: "search", hidden: true }, this.field, " ", this.count, " ",
      el("button", { id: "find-before", title: "The one before (Shift Enter)", onclick: press(-1) }, "Previous"), " ",
      el("button", { id: "find-next", title: "The next one (Enter)", onclick: press(1) }, "Next"), " ",
      el("button", { id: "find-close", title: "Close (Escape)", onclick: () => this.close() }, "Close"));
    pane.querySelector("#editor")?.before(this.bar);
    const open = { id: "find-button", class: "link", title: "Ctrl F", onclick: () => this.open() };
    pane.querySelector("#text-head")?.append(" ", el("button", open, "Find"));
    this.field.addEventListener("input", () => { this.refresh(); this.#go(0); });
    pane.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Open it with what is selected. */
  open() {
    const { area } = this.layer, chosen = area.value.slice(area.selectionStart, area.selectionEnd);
    if (chosen && !chosen.includes("\n")) this.field.value = chosen;
    this.bar.hidden = false;
    this.field.focus();
    this.field.select();
    this.refresh();
    this.#go(0);
  }

  close() {
    this.bar.hidden = true;
    this.layer.show(new Map());
    this.layer.area.focus({ preventScroll: true });
  }

  /** Look again: the words, or the text, are others. */
  refresh() {
    if (this.bar.hidden) return;
    this.places = foundIn(this.layer.area.value, this.field.value);
    this.at = Math.min(this.at, this.places.length - 1);
    this.#show();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const isField = event.target === this.field, key = event.key.toLowerCase();
    const isFind = (event.ctrlKey || event.metaKey) && key === "f";
    const isNext = event.key === "F3" || (isField && event.key === "Enter");
    if (isFind) this.open();
    else if (isNext && !this.bar.hidden) this.#go(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && !this.bar.hidden) this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Go to the next place, to the one before, or to the first from the caret on. @param {number} by */
  #go(by) {
    const { area, lines } = this.layer, { places } = this, many = places.length;
    if (!many) return;
    const first = places.findIndex((place) => place >= area.selectionStart);
    this.at = by && this.at >= 0 ? (this.at + by + many) % many : Math.max(0, first);
    const place = places[this.at], { number } = placeOf(lines, place);
    area.setSelectionRange(place, place + this.field.value.length);
    const top = number * LINE;
    if (top < area.scrollTop || top > area.scrollTop + area.clientHeight - 2 * LINE)
      area.scrollTop = Math.max(0, top - area.clientHeight / 3);
    this.#show();
  }

  #show() {
    const { lines } = this.layer, { length } = this.field.value;
    /** @type {Map<number, Range[]>} */ const found = new Map();
    let number = 0, start = 0;
    this.places.forEach((place, at) => {
      while (number < lines.length - 1 && place > start + lines[number].length) start += lines[number++].length + 1;
      const range = { from: place - start, to: place - start + length, name: at === this.at ? "found here" : "found" };
      found.set(number, [...(found.get(number) ?? []), range]);
    });
    this.layer.show(found);
    const many = this.places.length.toLocaleString("en");
    const told = this.places.length ? `${this.at < 0 ? "" : `${this.at + 1} of `}${many}` : "not found";
    this.count.textContent = length ? told : "";
  }
}
