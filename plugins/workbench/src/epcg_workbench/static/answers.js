// The answers beside the board: can it be solved, how long, its measures, and where it stands among others.
// @ts-check
import { ask, one } from "./api.js";
import { counted, moves, price, shown } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };
const MOST_SHOWN = 60, FIRST_PLACES = 2, PAUSE_MS = 400;

export class AnswersPanel {
  /** @param {any} page what the page lends: el, attempt, bench, domain, rules, offer, question, record, play */
  constructor(page) {
    this.page = page;
    /** The domains whose compiled code is ready. */
    this.compiled = new Set();
    /** @type {AbortController | null} */ this.asked = null;
    this.all = false;
    /** Whether there are measures to come. */ this.waits = false;
    /** @type {any} */ this.solved = null;
    $("blind").onchange = () => this.#hide();
    $("unblind").onclick = () => { $("blind").checked = false; this.#hide(); };
    $("standing").onclick = () => page.attempt(() => this.#offer());
    $("verdict-show").onclick = () => page.play(this.solved.solution);
  }

  get hidden() { return $("blind").checked; }

  /** Ask for all that is said about the content of the bench; what was asked before is given up. */
  async refresh() {
    this.asked?.abort();
    const own = (this.asked = new AbortController()), { bench, attempt, rules } = this.page;
    const { domain, text, playable } = bench();
    bench().measures = [];
    this.waits = true;
    this.table();
    this.solved = null;
    $("verdict").hidden = true;
    for (const part of ["stands", "stands-offer"]) $(part).replaceChildren();
    $("standing").hidden = false;
    /** @type {Map<string, any>} */ const rows = new Map();
    const current = () => !own.signal.aborted && bench().text === text;
    const take = (message, plain) => {
      if (!current() || message.end || !message.evaluator || (plain && rows.has(message.evaluator))) return;
      rows.set(message.evaluator, message);
      this.page.offer(message.evaluator, message.left_out);
      bench().measures = [...rows.values()];
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
  }

  #hide() {
    document.body.classList.toggle("blind", this.hidden);
    this.table(); this.verdict();
    $("stands-part").hidden = this.hidden;
    this.page.spoilers();
  }

  /** Say whether it can be solved, and show a shortest solution. */
  verdict() {
    const found = this.solved, { el } = this.page;
    $("verdict").hidden = !found || this.hidden;
    if (!found || this.hidden) return;
    const known = found.solution !== null, none = !known && found.exhausted;
    $("verdict").className = known ? "yes" : none ? "no" : "open";
    const already = known && !found.solution.length;
    $("verdict-sign").textContent = known ? "✓" : none ? "✕" : "?";
    $("verdict-word").textContent = already ? "Is solved as it stands" : known ? "Can be solved"
      : none ? (found.about ? "No solution found" : "Cannot be solved") : "Not known";
    const positions = counted(found.expansions, "position");
    $("verdict-how").textContent = already ? "" : known ? this.#length(found)
      : none ? `${found.reason[0].toUpperCase()}${found.reason.slice(1)}: ${positions} can be reached.`
        : `A solution was not found among ${positions}.`;
    $("verdict-way").hidden = $("verdict-show").hidden = !known || already;
    const steps = (found.words ?? []).slice(0, MOST_SHOWN);
    const short = steps.every((word) => word.length <= 7);
    $("verdict-way").className = short ? "short" : "long";
    $("verdict-way").replaceChildren(
      ...steps.map((word) => el("li", ARROWS[word] ? { title: word, "aria-label": word } : {}, ARROWS[word] ?? word)),
      ...(found.words?.length > MOST_SHOWN ? [el("li", {}, `${found.words.length - MOST_SHOWN} more`)] : []));
  }

  #length({ solution, shortest }) { return `In ${moves(solution.length)}${shortest ? ", and in no fewer" : ""}.`; }

  /** Show the measures: those first that people ask for first, the others folded. */
  table() {
    const { el, bench, domain } = this.page;
    const told = new Map(bench().measures.map((each) => [each.evaluator, each]));
    const metrics = domain().evaluators.flatMap(({ name, metrics: all }) => {
      const found = told.get(name);
      if (found && !found.left_out) return found.metrics;
      const reason = found ? found.left_out : this.waits ? "…" : ""; // each has its row before its value comes
      return reason ? all.map((metric) => ({ ...metric, value: null, reason })) : [];
    });
    const about = (metric) => ({ "data-metric": metric.metric, title: `${metric.description} (${metric.metric})` });
    const row = (metric) => el("tr", about(metric),
      el("td", {}, metric.title, this.all ? el("span", { class: "muted" }, metric.description) : ""),
      el("td", { class: metric.value === null ? "value why" : "value" },
        this.hidden ? "…" : shown(metric.value, metric.reason)));
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
    const { bench, question } = this.page, { domain, text, measures } = bench();
    const first = measures.filter((each) => each.metrics.some((metric) => metric.headline));
    const evaluators = (first.length ? first : measures).map((each) => each.evaluator);
    evaluators.push(question().evaluator);
    for await (const found of ask("standing", { domain, text, evaluators, lane: "standing" }, signal)) {
      if (current()) this.#places(found);
    }
  }

  #places(found) {
    const { el, question } = this.page, { metric } = question();
    const before = (measure) => (measure.metric === metric ? 0 : measure.headline || 99);
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

  /** A bar of what is lower, equal and higher, with the sentence below. @param {any} measure @param {any} at */
  #place(measure, at) {
    const { el } = this.page, parts = ["lower", "equal", "higher"];
    const bar = el("span", { class: "shares", "aria-hidden": "true" },
      ...parts.map((part) => {
        const piece = el("span", { class: part });
        piece.style.flexGrow = String(at[part]);
        return piece;
      }));
    const tip = `run ${at.run}; ${parts.map((part) => `${at[part].toLocaleString("en")} ${part}`).join(", ")}`;
    return el("div", { class: "place", "data-run": at.run, title: tip },
      el("p", {}, el("b", {}, measure.title), " ", el("span", { class: "value" }, shown(measure.value))), bar,
      el("p", {}, at.told), el("p", { class: "muted" }, at.title + (at.among ? ` (${at.among})` : "")));
  }

  /** Say what it would take to record all of the content's kind for the chosen measure, with a button. */
  async #offer() {
    const { el, domain, question, record } = this.page, asked = question();
    const { title } = domain().evaluators.flatMap((each) => each.metrics).find(({ metric }) => metric === asked.metric);
    const said = el("p", { "aria-live": "polite" }, "Estimating …");
    $("stands-offer").replaceChildren(said);
    const found = await one("space", asked).catch((error) => { said.remove(); throw error; });
    if (found.remaining === "0") { said.textContent = "All of its kind are recorded for this measure."; return; }
    const where = el("p", { "aria-live": "polite", id: "whole" });
    const go = async () => {
      const ended = await record({ ...asked, search: found.search, job: "space" }, where);
      if (ended?.state === "finished") this.refresh();
    };
    const many = counted(BigInt(found.remaining), "is", "are");
    said.replaceChildren(`${found.title}: ${many} to be tried for “${title}”. `,
      `${price(found, "It takes about")} `, el("button", { id: "record-whole", onclick: go }, "Try all of them"));
    said.title = found.space;
    said.after(where);
  }
}
