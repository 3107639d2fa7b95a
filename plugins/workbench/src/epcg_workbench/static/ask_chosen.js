// The content that is chosen in an answer: large, with what is measured, and what one can do with it.
// @ts-check
import { ask, one } from "./api.js";
import { $, attempt, el } from "./base.js";
import { adoptPuzzle } from "./bench.js";
import { add, canAdd, canLead, lead } from "./leads.js";
import { pictureOf } from "./pictures.js";
import { counted, shown } from "./words.js";

/** A content that is shown, and all that are `kept` beside it. @typedef {{puzzle: string, run: number, metric: string,
 *   place: string, kept: string[]}} Shown */

export class Chosen {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.puzzle = "";
    this.shows = 0;
  }

  /** Show a content, or none. @param {Shown | null} chosen */
  async show(chosen) {
    const own = (this.shows += 1);
    if (!chosen) {
      this.puzzle = "";
      $("ask-answer").replaceChildren();
      $("ask-answer").inert = false;
      return;
    }
    if (chosen.puzzle !== this.puzzle) {
      $("ask-answer").setAttribute("aria-busy", "true");
      $("ask-answer").inert = true; // until it is drawn, its buttons are still those of the one before
    }
    this.puzzle = chosen.puzzle;
    await attempt(async () => {
      const found = await one("placed", { puzzle: chosen.puzzle, run: chosen.run });
      if (found.stopped || own !== this.shows) return;
      let drawing = "";
      for await (const each of ask("picture", { puzzles: [found.puzzle], lane: "chosen" })) drawing = each.svg ?? "";
      if (own === this.shows) this.#draw(found, chosen, drawing);
    });
    if (own === this.shows) $("ask-answer").inert = false;
  }

  /** @param {Placed} found @param {Shown} shown @param {string} drawing */
  #draw(found, { metric, place, kept }, drawing) {
    const { state } = this;
    const main = found.measures.find((each) => each.metric === metric),
      rest = found.measures.filter((each) => each !== main && each.headline);
    const more = found.measures.filter((each) => each !== main && !each.headline);
    const row = (/** @type {Placed["measures"][0]} */ each) =>
      el(
        "div",
        {},
        el("dt", { title: each.description }, each.title),
        el("dd", {}, shown(each.value, "–", each.words)),
      );
    const large = el("div", { class: "large" });
    if (drawing) large.append(el("img", { alt: "", src: pictureOf(drawing) }));
    /** @param {string} words @param {() => unknown} act */
    const button = (words, act, name = "") => el("button", { class: name, onclick: act }, words);
    const into = () => state.panels.into.open({ puzzle: found.puzzle }, metric);
    const open = found.editor
      ? [
          button("Play", () => adoptPuzzle(this.state, found.puzzle, "play")),
          button("Draw on", () => adoptPuzzle(this.state, found.puzzle, "edit")),
        ]
      : [];
    const onward = found.leads.flatMap((each) => {
      const go = (/** @type {string[]} */ puzzles) => () => attempt(() => lead(state, each, puzzles));
      if (!canLead(state, each)) return [];
      if (each.takes === "game") return [button("Make a game of it", go([found.puzzle]), "primary")];
      const all = kept.length > 1 ? [button(`Take all ${kept.length}`, go(kept))] : [];
      return [button(`Take it into ${state.panels.project.file}`, go([found.puzzle]), "primary"), ...all];
    });
    if (canAdd(state, found)) {
      const into = () => attempt(() => add(state, found.puzzle));
      onward.push(button(`Add it to ${state.panels.project.file}`, into, "primary"));
    }
    const plans = found.plans.map(({ name, title, number }, at) =>
      el(
        "span",
        {},
        at ? "; " : "",
        el("a", { href: `#curricula/${encodeURIComponent(name)}` }, title),
        `, puzzle ${number}`,
      ),
    );
    $("ask-answer").replaceChildren(
      large,
      el("section", {}, el("h2", {}, main?.said ?? ""), el("p", {}, place)),
      el(
        "section",
        {},
        el("dl", { class: "measured" }, ...rest.map(row)),
        ...(more.length
          ? [
              el(
                "details",
                {},
                el("summary", {}, counted(more.length, "more measure")),
                el("dl", { class: "measured" }, ...more.map(row)),
              ),
            ]
          : []),
      ),
      el(
        "section",
        {},
        el(
          "p",
          { class: "row" },
          ...open,
          ...onward,
          button("Into a chapter", into, onward.length ? "" : "primary"),
        ),
        ...(found.editor || onward.length
          ? []
          : [el("p", { class: "muted" }, "There is no board for it, so it cannot be drawn on here.")]),
        ...(plans.length ? [el("p", { class: "muted" }, "Already in ", ...plans, ".")] : []),
      ),
    );
    $("ask-answer").removeAttribute("aria-busy");
  }
}
