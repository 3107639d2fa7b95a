// What may be meant: names that the game has and words of its language, in a small list at the caret.
// @ts-check
import { el } from "./base.js";
import { LINE, placeOf, wide } from "./text_layer.js";

export class TextOffers {
  /**
   * @param {import("./text_layer.js").TextLayer} layer
   * @param {(from: number, to: number, text: string) => void} put
   */
  constructor(layer, put) {
    this.layer = layer;
    this.put = put;
    /** @type {string[]} */ this.words = [];
    this.at = 0;
    this.from = 0;
    this.list = el("ul", { id: "offers", role: "listbox", "aria-label": "Words that may be meant", hidden: true });
    const { area } = layer;
    area.after(this.list);
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", "offers");
    area.addEventListener("keydown", (event) => this.#key(event));
    for (const name of ["blur", "click", "scroll"]) area.addEventListener(name, () => this.close());
  }

  close() {
    this.words = [];
    this.list.hidden = true;
    this.layer.area.removeAttribute("aria-activedescendant");
  }

  /** Offer words for what is typed. @param {boolean} [isAsked] even if nothing is typed yet */
  follow(isAsked = false) {
    const { area, lines, colouring } = this.layer, { number, column } = placeOf(lines, area.selectionStart);
    const { from, words } = colouring.offered(number, column, isAsked);
    if (!words.length || area.selectionStart !== area.selectionEnd) return this.close();
    Object.assign(this, { words, at: 0, from: area.selectionStart - (column - from) });
    this.list.style.left = `calc(8px + ${wide(lines[number].slice(0, from))}ch - ${area.scrollLeft}px)`;
    const top = (number + 1) * LINE - area.scrollTop;
    const isLow = top + words.length * LINE > area.clientHeight && top > words.length * LINE;
    this.list.style.top = `${isLow ? top - (words.length + 1) * LINE : top}px`;
    this.list.hidden = false;
    return this.#show();
  }

  #show() {
    this.list.replaceChildren(...this.words.map((word, number) => {
      const about = { role: "option", id: `offer-${number}`, "aria-selected": String(number === this.at) };
      const take = (/** @type {Event} */ event) => { event.preventDefault(); this.#take(number); };
      return el("li", { ...about, onpointerdown: take }, word);
    }));
    this.layer.area.setAttribute("aria-activedescendant", `offer-${this.at}`);
  }

  /** @param {number} number */
  #take(number) {
    const word = this.words[number];
    this.close();
    this.put(this.from, this.layer.area.selectionStart, word);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const isAsked = event.key === " " && event.ctrlKey, many = this.words.length;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isAsked) this.follow(true);
    else if (!many || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    else if (by) { this.at = (this.at + by + many) % many; this.#show(); }
    else if (event.key === "Enter" || event.key === "Tab") this.#take(this.at);
    else if (event.key === "Escape") this.close();
    else {
      if (/^(Arrow|Home|End|Page)/.test(event.key)) this.close();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
