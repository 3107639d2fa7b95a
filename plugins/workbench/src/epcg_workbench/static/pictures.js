// Pictures of puzzles in long lists: drawn when they come into view, removed when they leave it, asked for once.
// @ts-check
import { ask } from "./api.js";
import { el } from "./base.js";

const AT_ONCE = 12, NEAR = "300px";
/** @type {Map<string, string>} What has been drawn, by puzzle, for all lists of the page. */
const DRAWN = new Map();

/** The address of a picture. @param {string} svg */
export const pictureOf = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

/** A picture without a name: what it belongs to has one. @param {string} svg */
export const picture = (svg) => el("img", { alt: "", draggable: "false", src: pictureOf(svg) });

/** The pictures of one list: a tile's element `.picture` holds its picture as long as the tile is near the view. */
export class Pictures {
  /** @param {string} lane */
  constructor(lane) {
    this.lane = lane;
    /** @type {Map<string, Set<HTMLElement>>} */ this.wanted = new Map();
    this.drawing = false;
    this.seen = new IntersectionObserver((entries) => this.#moved(entries), { rootMargin: NEAR });
  }

  /** Show a puzzle in a tile. @param {HTMLElement} tile @param {string} puzzle */
  show(tile, puzzle) { tile.dataset.puzzle = puzzle; this.seen.observe(tile); }

  /** Leave all tiles. */
  clear() { this.seen.disconnect(); this.wanted.clear(); }

  /** @param {IntersectionObserverEntry[]} entries */
  #moved(entries) {
    for (const { target, isIntersecting } of entries) {
      if (!(target instanceof HTMLElement)) continue;
      const { puzzle = "" } = target.dataset;
      if (!isIntersecting) {
        target.querySelector(".picture img")?.remove();
        this.wanted.get(puzzle)?.delete(target);
        if (!this.wanted.get(puzzle)?.size) this.wanted.delete(puzzle);
      } else if (DRAWN.has(puzzle)) this.#put(target, puzzle);
      else this.wanted.set(puzzle, (this.wanted.get(puzzle) ?? new Set()).add(target));
    }
    this.#draw();
  }

  async #draw() {
    if (this.drawing) return;
    this.drawing = true;
    try {
      while (this.wanted.size) {
        const puzzles = [...this.wanted.keys()].slice(0, AT_ONCE);
        let answered = false;
        for await (const { puzzle, svg } of ask("picture", { puzzles, lane: this.lane })) {
          if (!puzzle) continue;
          answered = true;
          DRAWN.set(puzzle, svg);
          for (const tile of this.wanted.get(puzzle) ?? []) this.#put(tile, puzzle);
          this.wanted.delete(puzzle);
        }
        if (!answered) break;
      }
    } catch {
      /* the page says that the server is gone as soon as something else is asked */
    } finally {
      this.drawing = false;
    }
  }

  /** @param {HTMLElement} tile @param {string} puzzle */
  #put(tile, puzzle) {
    const holder = tile.querySelector(".picture"), text = DRAWN.get(puzzle);
    if (!holder || holder.querySelector("img") || !text) return;
    holder.append(picture(text));
  }
}
