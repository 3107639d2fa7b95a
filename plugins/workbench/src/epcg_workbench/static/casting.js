// A piece in hand: its shape follows the pointer, R or the wheel turns it, F turns it over, in Draw and in Play.
// @ts-check
import { one } from "./api.js";
import { note } from "./base.js";

const TURN_MS = 120;

export class Casting {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** What the casts are of: a content and a mark. */ this.of = "";
    /** @type {Map<string, import("./board.js").Cast>} */ this.casts = new Map();
    /** What stood on the board when a tab was turned to last. @type {Bench | null} */ this.bench = null;
    this.isPlay = false; this.kept = ""; this.turnedAt = 0;
    state.board.addEventListener("board-hover", () => this.follow());
    state.board.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** Whether marks of the content have a shape, and one of them is in hand. */
  get #isHeld() {
    const { opened, mode, panels } = this.state;
    return Boolean(opened?.shaped && opened.mark && (mode === "play" || (mode === "edit" && panels.tools.draws)));
  }

  /** Let the board show what is in hand. */
  async follow() {
    const { board } = this.state;
    if (!this.#isHeld) return;
    const { domain, text, mark } = this.state.bench, of = JSON.stringify([domain, text, mark]);
    if (of !== this.of) {
      this.of = of;
      this.casts = new Map();
      const casts = await one("casts", { domain, text, mark }).then((found) => found.casts, () => null);
      if (of !== this.of) return;
      if (!casts || !this.#isHeld) { // cut off by another request, or put away meanwhile: asked again when it is held
        this.of = "";
        return;
      }
      this.casts = new Map(Object.entries(casts).map(([site, [sites, fits]]) => [site, { sites, fits }]));
    }
    /** @type {typeof this.casts} */ const held = new Map();
    for (const [site, { sites, fits }] of this.casts) {
      held.set(site, { sites, fits: this.state.mode === "play" ? this.#action(sites) >= 0 : fits });
    }
    board.shadow(this.state.panels.palette.mark(mark) ?? null, held);
  }

  /** The move that covers sites; -1 if there is none. @param {string[]} sites */
  #action(sites) {
    const wanted = new Set(sites), group = this.state.panels.palette.mark(this.state.bench.mark)?.group ?? "";
    const covers = (/** @type {string[]} */ own) => own.length === wanted.size && own.every((site) => wanted.has(site));
    const { actions } = this.state.panels.play;
    return actions.findIndex(({ sites: own, text }) => covers(own) && text.startsWith(group));
  }

  /**
   * Turn to a tab: in Play the hand is empty at first, so that cells can be touched one by one.
   * @param {string} name @returns {boolean} whether pieces are taken in hand there
   */
  turned(name) {
    const { bench, board, panels } = this.state, isPlay = name === "play" && bench.shaped;
    const isOther = this.bench !== bench, begins = isPlay && (isOther || !this.isPlay);
    if (begins) {
      this.kept = bench.mark;
      panels.palette.choose("");
    } else if (!isPlay && this.isPlay && !isOther) panels.palette.choose(this.kept);
    Object.assign(this, { isPlay, bench });
    if (isPlay) board.shadow(null);
    return isPlay;
  }

  /**
   * The move that puts what is in hand somewhere in a position of play: -1 if it does not fit there, nothing if the
   * hand is empty. @param {string[]} sites @returns {number | undefined}
   */
  lay(sites) {
    if (!this.isPlay || !this.#isHeld || sites.length !== 1) return undefined;
    const cast = this.casts.get(sites[0]), number = cast ? this.#action(cast.sites) : -1;
    const { bench, board, panels } = this.state, name = panels.palette.title(bench.mark);
    if (number < 0) note(`There is not enough room here for ${name}.`);
    else {
      panels.palette.choose("");
      board.shadow(null);
    }
    return number;
  }

  /** A key that turns what is in hand; whether it does. @param {string} key */
  key(key) {
    if (!this.#isHeld || !/^[rf]$/i.test(key)) return false;
    const { palette } = this.state.panels, before = this.state.bench.mark;
    if (key.toLowerCase() === "r") palette.turn(); else palette.flip();
    if (this.state.bench.mark !== before) void this.follow();
    return true;
  }

  /** Turn what is in hand by the wheel. @param {WheelEvent} event */
  #wheel(event) {
    const { palette } = this.state.panels, mark = this.#isHeld && palette.mark(this.state.bench.mark);
    if (!mark || !mark.turned || event.ctrlKey) return;
    event.preventDefault();
    if (event.timeStamp - this.turnedAt < TURN_MS) return;
    this.turnedAt = event.timeStamp;
    const turns = palette.turnsOf(mark);
    palette.choose(turns.at(event.deltaY < 0 ? -1 : 1)?.name ?? mark.name);
    void this.follow();
  }
}
