// The chapters of a plan as they are read: the list, the curve over all, and the puzzles as pictures.
// @ts-check
import { svg } from "./board.js";
import { curve } from "./chapters_curve.js";
import { Mover } from "./chapters_move.js";
import { Pictures } from "./pictures.js";
import { counted } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

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
      { el } = plans.page,
      { chapters } = plans.plan;
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
            onclick: (event) => event.target.closest("button, a, summary") || plans.choose(i),
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
    this.mark();
  }

  /** Mark the chapter and the puzzle that are chosen. */
  mark() {
    const { at, entry } = this.plans;
    for (const each of document.querySelectorAll("#plan-list .entry"))
      each.setAttribute("aria-current", String(Number(/** @type {any} */ (each).dataset.at) === at));
    for (const each of document.querySelectorAll("#plan-chapters .chapter"))
      each.classList.toggle("on", Number(/** @type {any} */ (each).dataset.chapter) === at);
    for (const each of document.querySelectorAll("#plan-chapters li[data-entry]"))
      each
        .querySelector(".open")
        ?.setAttribute("aria-pressed", String(Boolean(entry) && /** @type {any} */ (each).dataset.entry === entry));
    curve(this.plans, (entry) => this.focus(entry));
  }

  /** Draw what a part chooses. @param {number} i @param {number} j */
  part(i, j) {
    const { plans } = this,
      { el } = plans.page,
      part = plans.plan.chapters[i]?.parts[j],
      found = plans.parts.get(`${i}.${j}`);
    const place = document.querySelector(`[data-part="${i}.${j}"]`);
    if (!place || !part) return;
    const parts = [];
    if (part.name && plans.plan.chapters[i].parts.length > 1) parts.push(el("h3", {}, part.name));
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
      const empty = found.trouble.startsWith("lists no puzzle");
      parts.push(
        el(
          "p",
          { class: empty ? "muted" : "bad" },
          empty
            ? "No puzzle yet: say on the right from which question it takes some, drag one here, or press + puzzle."
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

  #tile(puzzle, i, j, k) {
    const { plans, mover } = this,
      { el } = plans.page;
    const keys = (event) => {
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
      ...(puzzle.hand ? [el("span", { class: "hand", title: "chosen by hand" }, "by hand")] : []),
    );
    const tile = el(
      "li",
      {
        "data-entry": puzzle.entry,
        title: puzzle.reason,
        onpointerdown: (event) => mover.drag(event, tile, i, j, k),
      },
      open,
      el("div", { class: "tools" }, caption, grip),
    );
    this.pictures.show(tile, puzzle.puzzle);
    return tile;
  }

  /** Number the puzzles through all chapters, as the booklet does. */
  #numbers() {
    let number = 0;
    for (const tile of document.querySelectorAll("#plan-chapters li[data-entry]")) {
      number += 1;
      const own = /** @type {any} */ (tile);
      own.querySelector(".number").textContent = String(number);
      own
        .querySelector(".open")
        .setAttribute("aria-label", `Puzzle ${number}: ${own.querySelector(".told").title}`);
      own.querySelector(".grip").setAttribute("aria-label", `Move puzzle ${number}: arrow keys, or drag`);
    }
  }

  /** How many puzzles each chapter has, and between which values. */
  #list() {
    const { plans } = this,
      { el, shown } = plans.page,
      all = plans.puzzles();
    plans.plan.chapters.forEach((_, i) => {
      const own = all.filter((each) => each.i === i),
        values = own.map(({ value }) => value).filter((value) => typeof value === "number");
      const low = Math.min(...values),
        high = Math.max(...values),
        range = values.length ? (low === high ? shown(low) : `${shown(low)} to ${shown(high)}`) : "";
      document
        .querySelector(`#plan-list [data-at="${i}"] .facts`)
        ?.replaceChildren(
          el("span", {}, counted(own.length, "puzzle")),
          el("span", {}, range),
        );
    });
  }

  /** Give a puzzle the focus. @param {string} entry */
  focus(entry) {
    const tile = [...document.querySelectorAll("#plan-chapters li[data-entry]")].find(
      (each) => /** @type {any} */ (each).dataset.entry === entry,
    );
    /** @type {any} */ (tile?.querySelector(".grip"))?.focus();
    tile?.scrollIntoView({ block: "nearest" });
  }
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
