// The chosen puzzle of a plan: what is new in it, and what one can do with it.
// @ts-check
import { $, el, trouble } from "./base.js";
import { adoptPuzzle } from "./bench.js";
import { counted } from "./words.js";

export class PuzzlePane {
  /** @param {import("./arrange.js").ArrangePage} plans */
  constructor(plans) {
    this.plans = plans;
  }

  /** Open a puzzle on the board. @param {PlanPuzzle} puzzle @param {Mode} [as] */
  open(puzzle, as) {
    if (!puzzle.editor)
      return trouble(new Error(`${puzzle.domain} has no editor: epcg render "${puzzle.puzzle}" draws it.`));
    return adoptPuzzle(this.plans.state, puzzle.puzzle, as);
  }

  /** Show it, and whether there are others to replace it. @param {boolean} sourced */
  show(sourced) {
    const { plans } = this,
      all = plans.puzzles(),
      at = all.findIndex(({ entry, i }) => entry === plans.entry && i === plans.at),
      puzzle = all[at];
    $("chapter-puzzle").hidden = !puzzle;
    $("plan-under").textContent = puzzle
      ? `Puzzle ${at + 1}: drag it, or move it with Alt and the arrows`
      : "Choose a puzzle to move, replace or open it";
    if (!puzzle) return;
    const { i, j, k } = puzzle,
      { mover } = plans.view;
    /** @param {string} name @param {string} words @param {() => unknown} act @param {string} [title] */
    const button = (name, words, act, title) => el("button", { class: name, onclick: act, "aria-label": title }, words);
    $("chapter-puzzle").replaceChildren(
      el("h2", { title: puzzle.reason }, `Puzzle ${at + 1}: ${puzzle.told}`),
      el("div", { class: "new" }),
      el(
        "p",
        { class: "row" },
        button("", "Play", () => this.open(puzzle, "play")),
        button("draw", "Draw on", () => this.open(puzzle, "edit")),
        ...(sourced
          ? [button("replace", "Replace", () => mover.replace(i, j, k), `Replace puzzle ${at + 1} by the next best`)]
          : []),
        button("remove", "Remove", () => mover.remove(i, j, k), `Remove puzzle ${at + 1}`),
      ),
    );
    this.news();
  }

  /** Say what no earlier puzzle has. */
  news() {
    const { plans } = this,
      /** @type {Set<string>} */ seen = new Set(),
      place = $("chapter-puzzle").querySelector(".new");
    let most = 0;
    for (const { puzzle, entry } of plans.puzzles()) {
      const found = plans.known.get(puzzle);
      if (!found) {
        if (entry === plans.entry) return;
        continue;
      }
      /** @param {string} kind @param {string[]} names */
      const fresh = (kind, names) =>
        names.filter((name) => !seen.has(`${kind} ${name}`) && seen.add(`${kind} ${name}`));
      const marks = fresh("mark", found.marks),
        rules = fresh("rule", found.rules);
      const moves =
        found.moves === null
          ? ""
          : `${counted(found.moves, "move")}${found.moves > most ? ", the most so far" : ""}`;
      most = Math.max(most, found.moves ?? 0);
      if (entry !== plans.entry || !place) continue;
      /** @type {HTMLElement[]} */
      const parts = moves ? [el("p", {}, moves)] : [];
      if (found.unsolved) parts.push(el("p", { class: "bad" }, `It cannot be solved: ${found.unsolved}.`));
      if (marks.length) parts.push(el("p", {}, el("b", {}, "New: "), marks.join(", ")));
      if (rules.length)
        parts.push(
          el(
            "details",
            {},
            el("summary", {}, rules.length === 1 ? "A new rule" : counted(rules.length, "new rule")),
            el("ul", {}, ...rules.map((rule) => el("li", {}, rule))),
          ),
        );
      place.replaceChildren(...parts);
    }
  }
}
