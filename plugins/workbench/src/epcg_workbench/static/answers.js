// The answers beside the board: can it be solved, how long, its measures, and where it stands among others.
// @ts-check
import { ask, one } from "./api.js";
import { $, attempt, el } from "./base.js";
import { offer, question } from "./bench.js";
import { asked, questionList } from "./further.js";
import { rules } from "./rules.js";
import { record } from "./running.js";
import { setMode } from "./tabs.js";
import { counted, moves, price, shown } from "./words.js";

/** @type {Record<string, string>} */
const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };
const MOST_SHOWN = 60, FIRST_PLACES = 2, PAUSE_MS = 400;

export class AnswersPanel {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** The domains whose compiled code is ready. */
    this.compiled = new Set();
    /** @type {AbortController | null} */ this.asked = null;
    this.all = false;
    /** Whether there are measures to come. */ this.waits = false;
    /** @type {Solution | null} */ this.solved = null;
    $("blind").onchange = () => this.#hide();
    $("unblind").onclick = () => { $("blind").checked = false; this.#hide(); };
    $("standing").onclick = () => attempt(() => this.#offer());
    $("verdict-show").onclick = () => this.#play();
  }

  get hidden() { return $("blind").checked; }

  /** Ask for all that is said about the content of the bench; what was asked before is given up. */
  async refresh() {
    this.asked?.abort();
    const own = (this.asked = new AbortController());
    const { domain, text, playable } = this.state.bench;
    this.state.bench.measures = [];
    this.waits = true;
    this.table();
    this.solved = null;
    if (playable) $("verdict").classList.add("waits"); else $("verdict").hidden = true;
    for (const part of [$("stands"), $("stands-offer")]) part.replaceChildren();
    $("further").hidden = true;
    $("standing").hidden = false;
    /** @type {Map<string, Answers["measures"]>} */ const rows = new Map();
    const current = () => !own.signal.aborted && this.state.bench.text === text;
    const take = (/** @type {Answers["measures"]} */ message, /** @type {boolean} */ plain) => {
      if (!current() || message.end || !message.evaluator || (plain && rows.has(message.evaluator))) return;
      rows.set(message.evaluator, message);
      offer(this.state, message.evaluator, message.left_out);
      this.state.bench.measures = [...rows.values()];
      $("compiling").hidden = !plain;
      this.table();
    };
    const ways = [false, ...(this.compiled.has(domain) ? [] : [true])].map(async (plain) => {
      const request = { domain, text, plain, rules: rules(), lane: plain ? "plain" : "own" };
      for await (const message of ask("measures", request, own.signal)) {
        if (plain && this.compiled.has(domain)) return;
        take(message, plain);
        if (message.end && !plain) { this.compiled.add(domain); $("compiling").hidden = true; }
      }
    });
    const verdict = async () => {
      if (!playable) return;
      const request = { domain, text, taken: [], verdict: true, lane: "verdict" };
      for await (const found of ask("solve", request, own.signal)) {
        if (current()) { this.solved = found; this.verdict(); }
      }
    };
    await attempt(() => Promise.all([...ways, verdict()]));
    if (!current()) return;
    this.waits = false;
    this.table();
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    if (current()) await attempt(() => this.#stand(own.signal, current));
    if (current()) await attempt(() => this.#further(own.signal, current));
  }

  /** Offer the questions by which a designer goes on with the content: where else it could begin, say.
   * @param {AbortSignal} signal @param {() => boolean} current */
  async #further(signal, current) {
    const { domain, text } = this.state.bench;
    /** @type {GameQuestion[]} */ const found = [];
    const request = { domain, text, lane: "further" };
    for await (const each of ask("further", request, signal)) if (each.title) found.push(each);
    const choose = (/** @type {GameQuestion} */ each) => asked(this.state, each.question);
    if (current()) questionList($("further"), $("further-questions"), found, choose);
  }

  #hide() {
    document.body.classList.toggle("blind", this.hidden);
    this.table(); this.verdict();
    $("stands-part").hidden = this.hidden;
    this.state.panels.changes.recolour();
  }

  /** Say whether it can be solved, and show a shortest solution. */
  verdict() {
    const found = this.solved;
    $("verdict").hidden = !found || this.hidden;
    if (!found || this.hidden) return;
    const { solution, words = [], reason = "", judged } = found;
    const known = solution !== null, none = !known && found.exhausted, isGood = known && (judged?.good ?? true);
    $("verdict").className = isGood ? "yes" : known || none ? "no" : "open";
    const already = known && !solution.length;
    $("verdict-sign").textContent = isGood ? "✓" : known || none ? "✕" : "?";
    $("verdict-word").textContent = judged ? capital(judged.label)
      : already ? "Is solved as it stands" : known ? "Can be solved"
      : none ? (found.about ? "No solution found" : "Cannot be solved") : "Not known";
    const positions = counted(found.expansions, "position"), tried = found.expansions > 0;
    $("verdict-how").textContent = judged ? judged.sentence : already ? ""
      : known ? (found.shortest ? `In ${moves(solution.length)}, and in no fewer.` : "")
      : none ? `${capital(reason)}${tried ? `: ${positions} can be reached` : ""}.`
        : tried ? `A solution was not found among ${positions}.` : "A solution was not found.";
    $("verdict-way").hidden = !known || already;
    $("verdict-show").hidden = already || !(known || none);
    $("verdict-show").textContent = none ? "What mends it?" : "Show";
    const steps = judged ? [] : words.slice(0, MOST_SHOWN);
    const short = steps.every((word) => word.length <= 7);
    $("verdict-way").className = short ? "short" : "long";
    $("verdict-way").replaceChildren(
      ...steps.map((word) => el("li", ARROWS[word] ? { title: word, "aria-label": word } : {}, ARROWS[word] ?? word)),
      ...(!judged && words.length > MOST_SHOWN ? [el("li", {}, `${words.length - MOST_SHOWN} more`)] : []));
  }

  /** Let the solution play itself; without one, try which changes give one. */
  #play() {
    if (!this.solved) return;
    if (!this.solved.solution) {
      setMode(this.state, "analyse", true);
      void this.state.panels.changes.analyse();
      return;
    }
    setMode(this.state, "play");
    void this.state.panels.play.show(this.solved.solution);
  }

  /** Show the measures: those first that people ask for first, the others folded. */
  table() {
    const { opened } = this.state;
    if (!opened) return;
    const told = new Map(opened.measures.map((each) => [each.evaluator, each]));
    /** @type {Measured[]} */
    const metrics = this.state.domain.evaluators.flatMap(({ name, metrics: all }) => {
      const found = told.get(name);
      if (found && !found.left_out) return found.metrics;
      const reason = found ? found.left_out : this.waits ? "…" : ""; // each has its row before its value comes
      return reason ? all.map((metric) => ({ ...metric, value: null, reason })) : [];
    });
    const about = (/** @type {Measured} */ { metric, description }) => (
      { "data-metric": metric, title: `${description} (${metric})` });
    const row = (/** @type {Measured} */ metric) => el("tr", about(metric),
      el("td", {}, metric.title, this.all ? el("span", { class: "muted" }, metric.description) : ""),
      el("td", { class: metric.value === null ? "value why" : "value" },
        this.hidden ? "…" : shown(metric.value, metric.reason, metric.words)));
    const first = metrics.filter((metric) => metric.headline).sort((a, b) => a.headline - b.headline);
    const others = metrics.filter((metric) => !metric.headline), body = $("measures").tBodies[0];
    if (!first.length || others.length < 3) return body.replaceChildren(...[...first, ...others].map(row));
    const folded = others.map(row);
    for (const each of folded) each.hidden = !this.all;
    const turn = () => { this.all = !this.all; this.table(); };
    const word = this.all ? "Fewer measures" : counted(others.length, "more measure");
    const more = el("tr", {}, el("td", { colspan: "2" }, el("button", { class: "link", onclick: turn }, word)));
    body.replaceChildren(...first.map(row), more, ...folded);
  }

  /** Compare the headline measures, and the one that is wished for, with recorded runs about contents of the same kind.
   * @param {AbortSignal} signal @param {() => boolean} current */
  async #stand(signal, current) {
    const { domain, text, measures } = this.state.bench;
    const first = measures.filter((each) => each.metrics.some((metric) => metric.headline));
    const evaluators = (first.length ? first : measures).map((each) => each.evaluator);
    evaluators.push(question(this.state).evaluator);
    for await (const found of ask("standing", { domain, text, evaluators, lane: "standing" }, signal)) {
      if (current()) this.#places(found);
    }
  }

  /** @param {Standings} found */
  #places(found) {
    const { metric } = question(this.state);
    const before = (/** @type {Metric} */ measure) => (measure.metric === metric ? 0 : measure.headline || 99);
    const sorted = [...found.measures].sort((a, b) => before(a) - before(b));
    const places = sorted.flatMap((measure) => measure.standings.map((at) => this.#place(measure, at)));
    const others = places.slice(FIRST_PLACES);
    $("stands").replaceChildren(...places.slice(0, FIRST_PLACES));
    if (others.length) $("stands").append(el("details", {}, el("summary", {}, `${others.length} more`), ...others));
    const none = "Its kind cannot be listed, so it has no place in one: Changes compares it with what is near it.";
    if (!found.space) $("stands").replaceChildren(el("p", { class: "muted" }, none));
    $("standing").hidden = !found.space;
    $("standing").textContent = places.length ? "Compare another measure" : "Compare with all of its kind";
  }

  /**
   * A bar of what is lower, equal and higher, with the sentence below.
   * @param {Measured} measure @param {Standing} at
   */
  #place(measure, at) {
    const parts = /** @type {const} */ (["lower", "equal", "higher"]);
    const value = shown(measure.value, "", measure.words);
    const bar = el("span", { class: "shares", "aria-hidden": "true" },
      ...parts.map((part) => {
        const piece = el("span", { class: part });
        piece.style.flexGrow = String(at[part]);
        return piece;
      }));
    const tip = `run ${at.run}; ${parts.map((part) => `${at[part].toLocaleString("en")} ${part}`).join(", ")}`;
    return el("div", { class: "place", "data-run": at.run, title: tip },
      el("p", {}, el("b", {}, measure.title), " ", el("span", { class: "value" }, value)), bar,
      el("p", {}, at.told), el("p", { class: "muted" }, at.title + (at.among ? ` (${at.among})` : "")));
  }

  /** Say what it would take to record all of the content's kind for the chosen measure, with a button. */
  async #offer() {
    const asked = question(this.state);
    const title = this.state.panels.changes.wish.title(asked.metric);
    const said = el("p", { "aria-live": "polite" }, "Estimating …");
    $("stands-offer").replaceChildren(said);
    const found = await one("space", asked).catch((error) => { said.remove(); throw error; });
    if (found.remaining === "0") { said.textContent = "All of its kind are recorded for this measure."; return; }
    const where = el("p", { "aria-live": "polite", id: "whole" });
    const go = async () => {
      const ended = await record(this.state, { ...asked, search: found.search, job: "space" }, where);
      if (ended?.state === "finished") this.refresh();
    };
    const many = counted(BigInt(found.remaining), "is", "are");
    said.replaceChildren(`${found.title}: ${many} to be tried for “${title}”. `,
      `${price(found, "It takes about")} `, el("button", { id: "record-whole", onclick: go }, "Try all of them"));
    said.title = found.space;
    said.after(where);
  }
}

/** A sentence with its first letter large. @param {string} text */
const capital = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
