// Moving puzzles between chapters: by the grip with any pointer, by the whole tile with a mouse, by keys.
// @ts-check
import { one } from "./api.js";
import { $, all, around, attempt, seek } from "./base.js";

const FAR = 6,
  EDGE = 70;

/** Where a puzzle would go, and the tile that shows it. @typedef {{i: number, j: number, k: number, mark: HTMLElement,
 *   behind: boolean}} Goal */

export class Mover {
  /** @param {import("./arrange.js").ArrangePage} plans */
  constructor(plans) {
    this.plans = plans;
    /** @type {Map<string, Set<string>>} What was taken out at a place: "Replace" does not offer it again. */
    this.tried =
      new Map();
  }

  /** The puzzles of a part, as a plan names them. @param {number} i @param {number} j @returns {string[]} */
  entries(i, j) {
    return (this.plans.parts.get(`${i}.${j}`)?.puzzles ?? []).map(({ entry }) => entry);
  }

  /**
   * Give parts lists by hand.
   * @param {[number, number, string[]][]} lists @param {string} entry @param {Edit[]} changes
   */
  lists(lists, entry, changes = []) {
    const part = (/** @type {number} */ i, /** @type {number} */ j) => this.plans.present.chapters[i].parts[j];
    /** @type {Edit[]} */
    const whole = lists.filter(([i, j]) => part(i, j).filled).map(([i, j]) => [[...part(i, j).path, "fill"], null]);
    return this.plans.change(
      { changes: [...changes, ...whole], lists: lists.map(([i, j, entries]) => [part(i, j).path, entries]) },
      entry,
    );
  }

  /**
   * Move a puzzle.
   * @param {number[]} from [i, j, k] @param {number[]} to [i, j, k], k counted before it is taken out
   */
  move([i, j, k], [toI, toJ, toK]) {
    const own = this.entries(i, j),
      entry = own[k];
    if (entry === undefined) return undefined;
    if (i === toI && j === toJ) {
      if (toK === k || toK === k + 1) return undefined;
      const rest = own.filter((_, at) => at !== k);
      rest.splice(toK > k ? toK - 1 : toK, 0, entry);
      this.plans.say(`Moved within chapter ${i + 1}.`);
      return this.lists([[i, j, rest]], entry);
    }
    const { chapters } = this.plans.present,
      other = this.entries(toI, toJ),
      part = chapters[toI].parts[toJ];
    /** @type {Edit[]} */
    const measure = other.length || part.measure ? [] : [[[...part.path, "measure"], chapters[i].parts[j].measure]];
    other.splice(toK, 0, entry);
    this.plans.say(`Moved to chapter ${toI + 1}.`);
    return this.lists(
      [
        [i, j, own.filter((_, at) => at !== k)],
        [toI, toJ, other],
      ],
      entry,
      measure,
    );
  }

  /** Move by a key. @param {KeyboardEvent} event @param {number} i @param {number} j @param {number} k */
  key(event, i, j, k) {
    const { chapters } = this.plans.present;
    const places = chapters.flatMap((chapter, at) => chapter.parts.map((_, part) => [at, part]));
    const here = places.findIndex(([a, b]) => a === i && b === j),
      many = this.entries(i, j).length;
    const last = (/** @type {number[]} */ place) => this.entries(place[0], place[1]).length;
    /** @type {Record<string, () => unknown>} */
    const ways = {
      ArrowLeft: () => k > 0 && this.move([i, j, k], [i, j, k - 1]),
      ArrowRight: () => k < many - 1 && this.move([i, j, k], [i, j, k + 2]),
      ArrowUp: () => here > 0 && this.move([i, j, k], [...places[here - 1], last(places[here - 1])]),
      ArrowDown: () => here < places.length - 1 && this.move([i, j, k], [...places[here + 1], 0]),
      Delete: () => this.remove(i, j, k),
    };
    if (!(event.key in ways)) return;
    event.preventDefault();
    ways[event.key]();
  }

  /** @param {number} i @param {number} j @param {number} k */
  remove(i, j, k) {
    const own = this.entries(i, j),
      next = own[k + 1] ?? own[k - 1] ?? "";
    this.plans.say("Removed.");
    return this.lists([[i, j, own.filter((_, at) => at !== k)]], next);
  }

  /** @param {number} i @param {number} j @param {number} k */
  replace(i, j, k) {
    const { name, text } = this.plans.present,
      own = this.plans.parts.get(`${i}.${j}`)?.puzzles?.[k];
    if (!own) return undefined;
    const key = `${name} ${i}.${j}.${k}`,
      /** @type {Set<string>} */ tried = this.tried.get(key) ?? new Set();
    this.tried.set(key, tried.add(own.puzzle));
    return attempt(async () => {
      const other = await one("next_best", {
        name,
        text,
        chapter: i + 1,
        part: j + 1,
        value: own.value,
        without: [...tried],
      });
      const entries = this.entries(i, j);
      entries[k] = other.puzzle;
      this.plans.say(`Replaced: ${own.told} by ${other.told}.`);
      this.plans.entry = other.puzzle;
      await this.lists([[i, j, entries]], other.puzzle);
    });
  }

  /**
   * Begin to drag a tile.
   * @param {PointerEvent} event @param {HTMLElement} tile @param {number} i @param {number} j @param {number} k
   */
  drag(event, tile, i, j, k) {
    const grip = around(event, ".grip");
    if (event.button || (!grip && event.pointerType !== "mouse")) return;
    const start = [event.clientX, event.clientY],
      scrolls = document.querySelector("#curricula .work");
    /** @type {HTMLElement | null} */ let ghost = null;
    /** @type {Goal | null} */ let goal = null;
    let scrolling = 0,
      at = start;
    const unmark = () => {
      for (const each of document.querySelectorAll(".before, .behind")) each.classList.remove("before", "behind");
    };
    const aim = () => {
      unmark();
      goal = this.#goal(at[0], at[1]);
      goal?.mark?.classList.add(goal.behind ? "behind" : "before");
    };
    const move = (/** @type {PointerEvent} */ next) => {
      at = [next.clientX, next.clientY];
      if (!ghost) {
        if (Math.hypot(at[0] - start[0], at[1] - start[1]) < FAR) return;
        const picture = seek(tile, ".picture")?.cloneNode(true);
        if (!(picture instanceof HTMLElement)) return;
        ghost = picture;
        ghost.classList.add("ghost");
        document.body.append(ghost);
        tile.classList.add("dragged");
        scrolling = setInterval(() => {
          const down = at[1] > innerHeight - EDGE ? 1 : at[1] < EDGE ? -1 : 0;
          if (down) {
            scrollBy(0, 14 * down);
            scrolls?.scrollBy(0, 14 * down);
            aim();
          }
        }, 30);
      }
      next.preventDefault();
      ghost.style.left = `${at[0]}px`;
      ghost.style.top = `${at[1]}px`;
      aim();
    };
    const end = (/** @type {boolean} */ cancel) => (/** @type {Event} */ last) => {
      for (const [name, what] of listeners) removeEventListener(name, what, true);
      clearInterval(scrolling);
      unmark();
      tile.classList.remove("dragged");
      if (!ghost) return;
      ghost.remove();
      const click = (/** @type {Event} */ late) => {
        late.stopPropagation();
        late.preventDefault();
      };
      addEventListener("click", click, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", click, true), 50);
      last.preventDefault();
      if (!cancel && goal) this.move([i, j, k], [goal.i, goal.j, goal.k]);
    };
    const escape = (/** @type {KeyboardEvent} */ key) => key.key === "Escape" && end(true)(key);
    const listeners = /** @type {[string, EventListener][]} */ ([
      ["pointermove", move],
      ["pointerup", end(false)],
      ["pointercancel", end(true)],
      ["keydown", escape],
    ]);
    for (const [name, what] of listeners) addEventListener(name, what, { capture: true, passive: false });
  }

  /** Where a puzzle would go that is dropped at a point: in the part below it, else in the one nearest to it.
   * @param {number} x @param {number} y @returns {Goal | null} */
  #goal(x, y) {
    const place = nearest(all($("plan-chapters"), ".part"), y);
    if (!place) return null;
    const [i, j] = (place.dataset.part ?? "").split(".").map(Number);
    const tiles = all(place, "ol.strip > li[data-entry]");
    for (const [k, each] of tiles.entries()) {
      const box = each.getBoundingClientRect();
      if (y < box.top || (y <= box.bottom && x < box.left + box.width / 2))
        return { i, j, k, mark: each, behind: false };
    }
    return { i, j, k: tiles.length, mark: tiles.at(-1) ?? place, behind: true };
  }
}

/** The part that a height lies in, else the one nearest to it. @param {HTMLElement[]} parts @param {number} y */
function nearest(parts, y) {
  const far = (/** @type {HTMLElement} */ each) => {
    const box = each.getBoundingClientRect();
    return y < box.top ? box.top - y : y > box.bottom ? y - box.bottom : 0;
  };
  /** @type {HTMLElement | null} */ let best = null;
  for (const each of parts) if (!best || far(each) < far(best)) best = each;
  return best;
}
