// The chapters of a plan as they are read: the list, the curve over all, and the puzzles as pictures.
// @ts-check
import { $, all, around, el, seek } from "./base.js";
import { svg } from "./board.js";
import { curve } from "./chapters_curve.js";
import { Mover } from "./chapters_move.js";
import { Pictures } from "./pictures.js";
import { counted, shown } from "./words.js";

/** The beginning of what is said of a part without a source and without a puzzle. */
export const NO_PUZZLE = "lists no puzzle";

export class ChaptersView {
  /** @param {import("./arrange.js").ArrangePage} plans */
  constructor(plans) {
    this.plans = plans;
    this.pictures = new Pictures("strip");
    this.mover = new Mover(plans);
  }

  /** Draw the chapters; the puzzles in them stay until new ones are known. */
  show() {
    const { plans } = this,
      { chapters } = plans.present;
    this.pictures.clear();
    $("plan-list").replaceChildren(
      ...chapters.map((chapter, i) =>
        el(
          "li",
          {},
          el(
            "button",
            {
              class: "entry",
              "data-at": i,
              onclick: () => {
                plans.choose(i);
                document.querySelector(`[data-chapter="${i}"]`)?.scrollIntoView({ block: "nearest" });
              },
            },
            el("b", {}, `${i + 1}. ${chapter.title}`),
            el("span", { class: "facts" }),
          ),
        ),
      ),
    );
    $("plan-chapters").replaceChildren(
      ...chapters.map((chapter, i) => {
        const parts = chapter.parts.map((part, j) => el("div", { class: "part", "data-part": `${i}.${j}` }));
        const head = el(
          "h2",
          {},
          el("button", { class: "link", onclick: () => plans.choose(i) }, `${i + 1}. ${chapter.title}`),
          " ",
          el("small", {}, chapter.description),
          el("small", { class: "how" }),
        );
        return el(
          "section",
          {
            class: "chapter",
            "data-chapter": i,
            onclick: (event) => around(event, "button, a, summary") || plans.choose(i),
          },
          head,
          ...parts,
        );
      }),
    );
    chapters.forEach((chapter, i) => chapter.parts.forEach((_, j) => this.part(i, j)));
    this.known();
  }

  /** Show what all puzzles are now: numbers, the curve, the list. */
  known() {
    this.#numbers();
    curve(this.plans, (entry) => this.focus(entry));
    this.#list();
    this.lost();
    this.mark();
  }

  /** Mark the puzzles that cannot be solved, as far as it is known. */
  lost() {
    const { plans } = this,
      said = new Map(plans.puzzles().map(({ entry, puzzle }) => [entry, plans.known.get(puzzle)?.unsolved]));
    for (const tile of this.#tiles()) {
      const words = said.get(tile.dataset.entry ?? ""), place = seek(tile, ".lost");
      if (place) { place.hidden = !words; place.title = words ? `It cannot be solved: ${words}.` : ""; }
    }
  }

  /** Mark the chapter and the puzzle that are chosen. */
  mark() {
    const { at, entry } = this.plans;
    for (const each of all($("plan-list"), ".entry"))
      each.setAttribute("aria-current", String(Number(each.dataset.at) === at));
    for (const each of all($("plan-chapters"), ".chapter"))
      each.classList.toggle("on", Number(each.dataset.chapter) === at);
    for (const each of this.#tiles()) {
      const isChosen = Boolean(entry) && each.dataset.entry === entry;
      each.querySelector(".open")?.setAttribute("aria-pressed", String(isChosen));
    }
    curve(this.plans, (entry) => this.focus(entry));
  }

  /** The puzzles of all chapters, in their order. */
  #tiles() {
    return all($("plan-chapters"), "li[data-entry]");
  }

  /** Draw what a part chooses. @param {number} i @param {number} j */
  part(i, j) {
    const { plans } = this,
      part = plans.present.chapters[i]?.parts[j],
      found = plans.parts.get(`${i}.${j}`);
    const place = document.querySelector(`[data-part="${i}.${j}"]`);
    if (!place || !part) return;
    /** @type {HTMLElement[]} */ const parts = [];
    if (part.name && plans.present.chapters[i].parts.length > 1) parts.push(el("h3", {}, part.name));
    if (found?.missing)
      parts.push(
        el(
          "p",
          {},
          `${found.missing} `,
          el("button", { class: "build", onclick: () => plans.give.build() }, "Answer it now"),
        ),
      );
    else if (found?.trouble) {
      const empty = found.trouble.startsWith(NO_PUZZLE);
      parts.push(
        el(
          "p",
          { class: empty ? "muted" : "bad" },
          empty
            ? "No puzzle yet: say after “Take” from which question it takes some, drag one here, or press + puzzle."
            : `${found.trouble[0].toUpperCase()}${found.trouble.slice(1)}`,
        ),
      );
    }
    const add = el(
      "li",
      { class: "add" },
      el(
        "button",
        {
          title: "Put one in from the board or from an answer",
          "aria-label": `Add a puzzle to chapter ${i + 1}`,
          onclick: () => {
            plans.choose(i);
            plans.pane.add();
          },
        },
        el("span", { "aria-hidden": "true" }, "+"),
        "puzzle",
      ),
    );
    parts.push(
      el(
        "ol",
        { class: "strip", "aria-label": `Puzzles of chapter ${i + 1}` },
        ...(found?.puzzles ?? []).map((puzzle, k) => this.#tile(puzzle, i, j, k)),
        add,
      ),
    );
    place.replaceChildren(...parts);
  }

  /** @param {PlanPuzzle} puzzle @param {number} i @param {number} j @param {number} k */
  #tile(puzzle, i, j, k) {
    const { plans, mover } = this;
    const keys = (/** @type {KeyboardEvent} */ event) => {
      if (event.altKey || event.key === "Delete") mover.key(event, i, j, k);
    };
    const open = el(
      "button",
      {
        class: "open",
        ondblclick: () => plans.pane.puzzle.open(puzzle),
        onkeydown: keys,
        onclick: () => plans.choose(i, puzzle.entry),
      },
      el("span", { class: "picture" }),
    );
    const grip = el(
      "button",
      { class: "grip", title: "Drag, or use the arrow keys", onkeydown: (event) => mover.key(event, i, j, k) },
      gripPicture(),
    );
    const caption = el(
      "span",
      { class: "cap" },
      el("b", { class: "number" }),
      el("span", { class: "told", title: puzzle.told }, puzzle.short),
      el("span", { class: "lost bad", hidden: true }, "no solution"),
      ...(puzzle.hand ? [el("span", { class: "hand", title: "chosen by hand" }, "by hand")] : []),
    );
    const about = { "data-entry": puzzle.entry, title: puzzle.reason };
    const tile = el("li", about, open, el("div", { class: "tools" }, caption, grip));
    tile.addEventListener("pointerdown", (event) => mover.drag(event, tile, i, j, k));
    this.pictures.show(tile, puzzle.puzzle);
    return tile;
  }

  /** Number the puzzles through all chapters, as the booklet does. */
  #numbers() {
    for (const [at, tile] of this.#tiles().entries()) {
      const place = seek(tile, ".number"), told = seek(tile, ".told")?.title ?? "";
      if (place) place.textContent = String(at + 1);
      tile.querySelector(".open")?.setAttribute("aria-label", `Puzzle ${at + 1}: ${told}`);
      tile.querySelector(".grip")?.setAttribute("aria-label", `Move puzzle ${at + 1}: arrow keys, or drag`);
    }
  }

  /** How many puzzles each chapter has, and between which values. */
  #list() {
    const { plans } = this,
      puzzles = plans.puzzles();
    plans.present.chapters.forEach(({ parts }, i) => {
      const found = parts.map((_, j) => plans.parts.get(`${i}.${j}`));
      const own = puzzles.filter((each) => each.i === i),
        values = own.map(({ value }) => value).filter((value) => typeof value === "number");
      const low = Math.min(...values),
        high = Math.max(...values),
        range = values.length ? (low === high ? shown(low) : `${shown(low)} to ${shown(high)}`) : "";
      document
        .querySelector(`#plan-list [data-at="${i}"] .facts`)
        ?.replaceChildren(
          el("span", {}, manyOf(own.length, found)),
          el("span", {}, range),
        );
    });
  }

  /** Give a puzzle the focus. @param {string} entry */
  focus(entry) {
    const tile = this.#tiles().find((each) => each.dataset.entry === entry);
    if (!tile) return;
    seek(tile, ".grip")?.focus();
    tile.scrollIntoView({ block: "nearest" });
  }
}

/** How many puzzles a chapter has, as far as it is known.
 * @param {number} count @param {(Choice | undefined)[]} parts */
function manyOf(count, parts) {
  if (parts.some((part) => !part)) return "…";
  if (!count && parts.some((part) => part?.missing)) return "not answered yet";
  return counted(count, "puzzle");
}

/** Six dots, by which a tile is taken. */
function gripPicture() {
  const dots = [
    [4, 3],
    [10, 3],
    [4, 8],
    [10, 8],
    [4, 13],
    [10, 13],
  ].map(([cx, cy]) => svg("circle", { cx, cy, r: 1.5 }));
  return svg("svg", { viewBox: "0 0 14 16", "aria-hidden": "true" }, ...dots);
}
