// What changes may put: a tick for each mark, and for nothing.
// @ts-check
import { el } from "./base.js";
import { brushes, isInvisible, markPicture } from "./palette.js";
import { counted } from "./words.js";

/** The ticks of Changes; `changed` is told of each that is set or taken by hand. */
export class Ticks {
  /** @param {State} state @param {HTMLElement} place @param {HTMLElement} summary @param {() => void} changed */
  constructor(state, place, summary, changed) {
    this.state = state;
    this.place = place;
    this.summary = summary;
    this.changed = changed;
    /** @type {Map<string, HTMLInputElement>} */ this.boxes = new Map();
    this.drawn = "";
  }

  /** The marks that are tried, '' for nothing; none for all. */
  get marks() {
    this.#draw();
    const taken = [...this.boxes].filter(([, box]) => box.checked).map(([name]) => name);
    return taken.length === this.boxes.size ? [] : taken;
  }

  /** Whether all ticks are taken out, so that nothing could be tried. */
  get isNone() {
    return ![...this.boxes.values()].some((box) => box.checked);
  }

  /** Draw the ticks of another palette: those of marks that can be seen are set. */
  #draw() {
    const { palette } = this.state.bench, drawn = JSON.stringify(palette);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const ground = palette.find((mark) => !mark.name), named = brushes(palette);
    const seen = named.some((mark) => !isInvisible(mark));
    const nothing = ground ?? { name: "", title: "nothing", kinds: [] };
    this.boxes.clear();
    this.place.replaceChildren(...[nothing, ...named].map((mark) => {
      const box = el("input", { type: "checkbox", value: mark.name });
      box.checked = !mark.name || !seen || !isInvisible(mark);
      box.onchange = () => {
        this.#tell();
        this.changed();
      };
      this.boxes.set(mark.name, box);
      const picture = mark.kinds.length ? markPicture(mark, ground) : el("span", { class: "none" });
      const words = `${mark.title || mark.name}${mark.once ? " (one)" : ""}`;
      return el("label", { class: "tick" }, box, picture, el("span", {}, words));
    }));
    this.#tell();
  }

  #tell() {
    const taken = [...this.boxes.values()].filter((box) => box.checked).length;
    const all = taken === this.boxes.size;
    const what = all ? "everything" : `${counted(taken, "mark")} of ${this.boxes.size}`;
    this.summary.textContent = `What may be put: ${what}`;
  }
}
