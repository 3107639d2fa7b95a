// What can be said at once of a game that is drawn: whether it can be solved, and which kinds of puzzles it has.
// @ts-check
import { ask } from "./api.js";
import { el } from "./base.js";
import { pictureOf } from "./past.js";
import { counted } from "./words.js";
import { radios } from "./workshop_settings.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const AFTER = 350;

export class WorkshopAnswer {
  /** @param {any} page `game()`: domain, format, file, text; `add(text)`, `question(text)`, `trouble`, `attempt` */
  constructor(page) {
    this.page = page;
    /** @type {AbortController | null} */ this.asked = null;
    this.text = ""; this.timer = 0;
    /** @type {any[]} */ this.kinds = [];
    this.kind = ""; this.picked = false; this.isGame = false;
    $("shop-add-puzzle").onclick = () => page.attempt(() => page.add(this.#chosen().example));
    $("shop-ask").onclick = () => page.attempt(() => page.question(this.#chosen().question));
    $("shop-blind").onchange = () => { if ($("shop-blind").checked !== $("blind").checked) $("blind").click(); };
    $("blind").addEventListener("change", () => this.#hide());
    $("unblind").addEventListener("click", () => this.#hide());
  }

  /** Ask again a moment later, if the game is another one; until then all is shown as a thing of the past. */
  follow() {
    this.#hide();
    const { text } = this.page.game();
    if (text === this.text) return;
    this.text = text;
    this.asked?.abort();
    clearTimeout(this.timer);
    $("shop-verdict").classList.add("past");
    $("shop-kinds").classList.add("past");
    $("shop-wait").hidden = false;
    this.timer = setTimeout(() => this.#ask(), AFTER);
  }

  /** Choose the usual kind of puzzle again: the game is another one. */
  fresh() { this.picked = false; }

  async #ask() {
    const own = (this.asked = new AbortController()), { domain, format, text, file } = this.page.game();
    const current = () => !own.signal.aborted && text === this.page.game().text;
    const request = { domain, format, text, file };
    try {
      for await (const found of ask("workshop_answer", request, own.signal)) {
        if (current() && !found.stopped) this.#say(found);
      }
      const questions = [];
      for await (const found of ask("workshop_questions", request, own.signal)) if (found.title) questions.push(found);
      if (current()) this.#further(questions);
      const kinds = [];
      for await (const found of ask("workshop_kinds", request, own.signal)) if (found.title) kinds.push(found);
      if (current()) this.#offer(kinds);
    } catch (error) {
      if (!current()) return;
      if (error.lost) this.page.trouble(error);
      else {
        this.#say({ title: "Not a game yet", solved: null, about: error.message, facts: [], svg: "" });
        this.#offer([]);
        this.#further([]);
      }
    } finally { if (this.asked === own) $("shop-wait").hidden = true; }
  }

  #say({ title, solved, about, facts, svg }) {
    this.isGame = solved !== null || facts.length > 0;
    const state = solved === null ? "open" : solved ? "yes" : "no";
    $("shop-verdict").className = state;
    $("shop-sign").textContent = { yes: "✓", no: "✕", open: "?" }[state];
    $("shop-title").textContent = title;
    $("shop-about").textContent = about;
    const picture = () => el("img", { alt: "a solution", draggable: "false", src: pictureOf(svg) });
    $("shop-solved").replaceChildren(...(svg ? [picture()] : []));
    const sign = () => el("span", { class: "bad", role: "img", "aria-label": "in the way" }, "✕ ");
    const told = ({ value, problem }) => el("dd", { class: problem ? "bad" : "" }, ...(problem ? [sign()] : []), value);
    $("shop-facts").replaceChildren(...facts.map((fact) => el("div", {}, el("dt", {}, fact.title), told(fact))));
  }

  // ---- kinds of puzzles

  #chosen() { return this.kinds.find((each) => each.title === this.kind) ?? this.kinds[0]; }

  #offer(kinds) {
    this.kinds = this.isGame ? kinds : [];
    $("shop-kinds").className = "";
    $("shop-kinds").hidden = !this.kinds.length;
    if (!this.kinds.length) return;
    const usual = kinds.find((each) => each.proper && each.puzzles !== 1) ?? kinds[0];
    if (!this.picked || !kinds.some((each) => each.title === this.kind)) this.kind = usual.title;
    const held = $("shop-kind-list").contains(document.activeElement);
    const made = kinds.map((each) => {
      const about = { role: "radio", class: "kind", "aria-checked": String(each.title === this.kind) };
      return el("button", { ...about, onclick: () => this.#pick(each.title) },
        el("span", { class: "dot", "aria-hidden": "true" }),
        el("span", {}, el("b", {}, each.title), el("small", {}, many(each.puzzles))),
        el("small", { class: "ways" }, ways(each.proper)));
    });
    $("shop-kind-list").replaceChildren(...made);
    radios($("shop-kind-list"), made);
    if (held) made.find((each) => each.tabIndex === 0)?.focus();
    const { proper, example, question } = this.#chosen();
    $("shop-add-puzzle").hidden = !example;
    $("shop-ask").hidden = !question || !proper;
    $("shop-ask").textContent = "Try all";
    $("shop-keep").textContent = !proper ? "None of these has one way: choose another kind, or change the game."
      : "and keep those that have one way; what turns and mirror images make equal counts once";
  }

  #pick(title) { Object.assign(this, { kind: title, picked: true }); this.#offer(this.kinds); }

  /** Offer the questions by which a designer goes on. @param {any[]} questions */
  #further(questions) {
    const open = ({ question }) => this.page.attempt(() => this.page.question(question));
    const row = (each) => el("li", {},
      el("button", { onclick: () => open(each) }, each.title, el("small", {}, each.about)));
    $("shop-more").hidden = !questions.length;
    $("shop-questions").replaceChildren(...questions.map(row));
  }

  #hide() {
    $("shop-blind").checked = $("blind").checked;
    $("shop-solved").hidden = $("blind").checked;
  }
}

/** @param {number | null} puzzles */
function many(puzzles) {
  return puzzles === null ? "too many to be counted here" : counted(puzzles, "puzzle");
}

/** @param {number | null} proper */
function ways(proper) {
  return proper === null ? "" : counted(proper, "has one way", "have one way");
}
