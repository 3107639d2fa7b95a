// The content that is chosen in an answer: large, with what is measured, and what one can do with it.
// @ts-check
import { ask, one } from "./api.js";
import { Leads } from "./leads.js";
import { counted } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

export class Chosen {
  /** @param {any} page see app.js */
  constructor(page) {
    this.page = page;
    this.leads = new Leads(page);
    this.puzzle = "";
    this.shows = 0;
  }

  /** Show a content, or none. @param {{puzzle: string, run: number, metric: string, place: string,
   *   kept: string[]} | null} chosen `kept`: all that are shown beside it */
  async show(chosen) {
    const { attempt } = this.page,
      own = (this.shows += 1);
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

  #draw(found, { metric, place, kept }, drawing) {
    const { el, shown, adoptPuzzle, into, attempt } = this.page,
      { leads } = this;
    const main = found.measures.find((each) => each.metric === metric),
      rest = found.measures.filter((each) => each !== main && each.headline);
    const more = found.measures.filter((each) => each !== main && !each.headline);
    const row = (each) =>
      el("div", {}, el("dt", { title: each.description }, each.title), el("dd", {}, shown(each.value, "–")));
    const picture = el("div", { class: "large" });
    if (drawing)
      picture.append(el("img", { alt: "", src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}` }));
    const button = (words, act, name = "") => el("button", { class: name, onclick: act }, words);
    const open = found.editor
      ? [
          button("Play", () => adoptPuzzle(found.puzzle, "play")),
          button("Draw on", () => adoptPuzzle(found.puzzle, "edit")),
        ]
      : [];
    const onward = found.leads.flatMap((lead) => {
      const go = (puzzles) => () => attempt(() => leads.go(lead, puzzles));
      if (!leads.can(lead)) return [];
      if (lead.takes === "game") return [button("Make a game of it", go([found.puzzle]), "primary")];
      const all = kept.length > 1 ? [button(`Take all ${kept.length}`, go(kept))] : [];
      return [button(`Take it into ${leads.file()}`, go([found.puzzle]), "primary"), ...all];
    });
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
      picture,
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
          button("Into a chapter", () => into({ puzzle: found.puzzle }, metric), onward.length ? "" : "primary"),
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
