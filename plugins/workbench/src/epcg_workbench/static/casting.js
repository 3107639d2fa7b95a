// A piece in hand: its shape follows the pointer, R or the wheel turns it, F turns it over, in Draw and in Play.
// @ts-check
import { one } from "./api.js";

const TURN_MS = 120;

export class Casting {
  /** @param {any} page `board`, `bench()`, `mode()`, `palette()`, `play()`, `tools()`, `note(words)` */
  constructor(page) {
    this.page = page;
    /** What the casts are of: a content and a mark. */ this.of = "";
    /** @type {Map<string, {sites: string[], fits: boolean}>} */ this.casts = new Map();
    /** @type {any} */ this.bench = null;
    this.isPlay = false; this.kept = ""; this.turnedAt = 0;
    page.board.addEventListener("board-hover", () => this.follow());
    page.board.addEventListener("wheel", (/** @type {WheelEvent} */ event) => this.#wheel(event), { passive: false });
  }

  /** Whether marks of the content have a shape, and one of them is in hand. */
  get #isHeld() {
    const bench = this.page.bench(), name = this.page.mode();
    return Boolean(bench?.shaped && bench.mark && (name === "play" || (name === "edit" && this.page.tools().draws)));
  }

  /** Let the board show what is in hand. */
  async follow() {
    const { board, bench, palette } = this.page;
    if (!this.#isHeld) return;
    const { domain, text, mark } = bench(), of = JSON.stringify([domain, text, mark]);
    if (of !== this.of) {
      this.of = of;
      this.casts = new Map();
      const { casts } = await one("casts", { domain, text, mark }).catch(() => ({}));
      if (of !== this.of) return;
      if (!casts || !this.#isHeld) { // cut off by another request, or put away meanwhile: asked again when it is held
        this.of = "";
        return;
      }
      this.casts = new Map(Object.entries(casts).map(([site, [sites, fits]]) => [site, { sites, fits }]));
    }
    const held = [...this.casts].map(([site, { sites, fits }]) =>
      [site, { sites, fits: this.page.mode() === "play" ? this.#action(sites) >= 0 : fits }]);
    board.shadow(palette().mark(mark), new Map(/** @type {any} */ (held)));
  }

  /** The move that covers sites; -1 if there is none. @param {string[]} sites */
  #action(sites) {
    const wanted = new Set(sites), { group } = this.page.palette().mark(this.page.bench().mark);
    const covers = (/** @type {string[]} */ own) => own.length === wanted.size && own.every((site) => wanted.has(site));
    const { actions } = this.page.play();
    return actions.findIndex((/** @type {any} */ { sites: own, text }) => covers(own) && text.startsWith(group));
  }

  /**
   * Turn to a tab: in Play the hand is empty at first, so that cells can be touched one by one.
   * @param {string} name @returns {boolean} whether pieces are taken in hand there
   */
  turned(name) {
    const { bench, palette, board } = this.page, isPlay = name === "play" && Boolean(bench().shaped);
    const isOther = this.bench !== bench(), begins = isPlay && (isOther || !this.isPlay);
    if (begins) {
      this.kept = bench().mark;
      palette().choose("");
    } else if (!isPlay && this.isPlay && !isOther) palette().choose(this.kept);
    Object.assign(this, { isPlay, bench: bench() });
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
    const { palette, note, bench, board } = this.page, name = palette().title(bench().mark);
    if (number < 0) note(`There is not enough room here for ${name}.`);
    else {
      palette().choose("");
      board.shadow(null);
    }
    return number;
  }

  /** A key that turns what is in hand; whether it does. @param {string} key */
  key(key) {
    if (!this.#isHeld || !/^[rf]$/i.test(key)) return false;
    const { palette, bench } = this.page, before = bench().mark;
    if (key.toLowerCase() === "r") palette().turn(); else palette().flip();
    if (bench().mark !== before) void this.follow();
    return true;
  }

  /** Turn what is in hand by the wheel. @param {WheelEvent} event */
  #wheel(event) {
    const { palette, bench } = this.page, mark = this.#isHeld && palette().mark(bench().mark);
    if (!mark || !mark.turned || event.ctrlKey) return;
    event.preventDefault();
    if (event.timeStamp - this.turnedAt < TURN_MS) return;
    this.turnedAt = event.timeStamp;
    const turns = palette().turnsOf(mark);
    palette().choose((event.deltaY < 0 ? turns.at(-1) : turns[1]).name);
    void this.follow();
  }
}
