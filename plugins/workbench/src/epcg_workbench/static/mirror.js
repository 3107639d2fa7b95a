// The button that mirrors strokes in Draw: left-right, up-down, or both; what there is only one of is not doubled.
// @ts-check
import { el, note } from "./base.js";
import { icon } from "./drawing.js";
import { MIRRORS, centre, imagesOf } from "./regions.js";

/** @typedef {keyof typeof MIRRORS} How */
/** What the button shows. @type {Record<How, string>} */
const AXES = {
  none: "M5 5L2 8l3 3M11 5l3 3-3 3", "left-right": "M8 2v12M5 5L2 8l3 3M11 5l3 3-3 3",
  "up-down": "M2 8h12M5 5l3-3 3 3M5 11l3 3 3-3", both: "M8 2v12M2 8h12M4 4h1M11 4h1M4 12h1M11 12h1",
};

/** A button that mirrors strokes on one or several boards. */
export class MirrorButton {
  /** @param {string} id @param {(words: string) => void} said hears how strokes are mirrored when that is changed */
  constructor(id, said) {
    this.said = said;
    /** @type {How} */ this.how = "none";
    this.button = el("button", { id, onclick: () => this.turn() });
    this.part = el("span", { class: "bar-group" }, this.button);
    this.show();
  }

  /** Mirror strokes in the next way. */
  turn() {
    const all = /** @type {How[]} */ (Object.keys(MIRRORS));
    this.how = all[(all.indexOf(this.how) + 1) % all.length];
    this.show();
    this.said(this.how === "none" ? "Strokes are not mirrored." : `Each stroke is mirrored: ${this.how}.`);
  }

  /** Show how strokes are mirrored. */
  show() {
    const words = `Mirror: ${this.how}`, { button } = this;
    const about = { "aria-label": words, title: `${words} (M)`, "aria-pressed": String(this.how !== "none") };
    for (const [name, value] of Object.entries(about)) button.setAttribute(name, value);
    button.replaceChildren(icon(AXES[this.how]));
  }

  /** Take a letter that is pressed on the board; whether it is taken. @param {string} key */
  key(key) {
    if (key.toLowerCase() !== "m") return false;
    this.turn();
    return true;
  }
}

/** The button of the board in Draw. */
export class Mirror extends MirrorButton {
  /** @param {State} state */
  constructor(state) {
    super("mirror", note);
    this.state = state;
  }

  /** Whether strokes can be mirrored: the board has rows and columns, and its marks lie on single places. */
  get isOffered() {
    const { board, opened } = this.state;
    return Boolean(opened && !opened.shaped && centre(board));
  }

  show() {
    super.show();
    this.part.hidden = !this.state || !this.isOffered;
  }

  /** @param {string} key */
  key(key) { return this.isOffered && super.key(key); }

  /** Where a stroke of a mark is mirrored. @param {string[]} sites @param {string} mark */
  images(sites, mark) {
    const { board, panels } = this.state;
    if (!this.isOffered || panels.palette.mark(mark)?.once) return [];
    return imagesOf(board, sites, this.how);
  }
}
