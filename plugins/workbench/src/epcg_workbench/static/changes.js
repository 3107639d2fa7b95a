// Changes: what every change of a content does, as a map, and those that meet a wish.
// @ts-check
import { ask, one } from "./api.js";
import { $, attempt, el, trouble } from "./base.js";
import { question, step } from "./bench.js";
import { ChangeKinds } from "./change_kinds.js";
import { icon } from "./drawing.js";
import { colours } from "./heat.js";
import { legend } from "./heat_legend.js";
import { Intended } from "./intended.js";
import { offerReductions } from "./reducing.js";
import { record } from "./running.js";
import { Suggestions } from "./suggestions.js";
import { Ticks } from "./ticks.js";
import { WishForm, verdict } from "./wish.js";
import { counted, shown } from "./words.js";

const TOOLS = [
  [
    "region",
    "Region",
    "Drag over the board: only what lies in the region is changed",
    "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  ],
  ["lock", "Lock", "Drag over places that stay as they are", "M4 7h8v6H4zM6 7V5a2 2 0 014 0v2"],
];

/** @typedef {import("./board.js").EpcgBoard} EpcgBoard */
/** What an analysis has found so far, and of which text.
 * @typedef {import("./heat.js").Found & {text: string, metric: string, where: number, owns: Record<string, Value>,
 *   answer: WishAnswer | null, wished: Suggestion[], at?: Effects}} Seen */

/** The panel of the mode Changes. */
export class ChangesPanel {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {AbortController | null} */ this.running = null;
    /** @type {Seen | null} What the last analysis found. */ this.seen = null;
    /** @type {Seen | null} The same of the measure beside it. */ this.second = null;
    /** @type {EpcgBoard | null} The board of the measure beside it. */ this.beside = null;
    /** @type {object | null} The change that is looked at. */ this.preview = null;
    this.kinds = new ChangeKinds(() => this.#changed(), () => this.#toggles());
    /** What a stroke means: '' looks at a place. */ this.tool = "";
    /** The sites that are changed; none for all. @type {string[]} */ this.region = [];
    this.wish = new WishForm($("wish"), "", () => this.#wished());
    this.intended = new Intended(state, () => this.#wished());
    $("wish").after(this.intended.part);
    this.list = new Suggestions(state, this);
    this.ticks = new Ticks(state, $("change-ticks"), $("change-marks-what"), () => this.kinds.count());
    $("analyse").onclick = () => this.analyse();
    $("stop").onclick = () => this.stop();
    offerReductions(state);
    $("record").onclick = () => record(this.state, this.request(), $("progress"));
    $("whole-board").onclick = () => this.#within([]);
    $("region-columns").onchange = $("region-rows").onchange = () => this.kinds.count();
    this.#toggles();
  }

  /** Begin with the contents of a domain. @param {Measure[]} measures */
  begin(measures) {
    this.intended.reset();
    this.wish.offer(measures);
    const options = measures.map((each) => {
      const about = { value: `${each.evaluator}/${each.metric}`, title: each.description };
      return el("option", about, each.title);
    });
    $("metric2").replaceChildren(el("option", { value: "" }, "none"), ...options);
    this.list.reset();
  }

  /** Forget what was said of another content. */
  clear() {
    for (const id of /** @type {const} */ (["wish-answer", "suggestions", "at-site"])) $(id).replaceChildren();
    this.seen = null;
    this.preview = null;
    $("progress").textContent = "";
    $("heat-legend").replaceChildren();
    if (this.state.mode === "analyse") this.kinds.count();
  }

  /** Show what strokes do here: the page has turned to this mode, or to another content. */
  follow() {
    const { board } = this.state;
    board.isArea = this.tool === "region";
    board.choose(this.region.filter((id) => board.sites.has(id)));
    if (board.chosen.size !== this.region.length) this.#within([]);
    else this.kinds.count();
    this.intended.follow(this.wish, true);
  }

  /** What is changed, by which marks, and which regions are flipped and turned. */
  #changed() {
    const { bench, board } = this.state,
      { domain, text } = bench,
      within = new Set(this.region);
    const outside = within.size ? [...board.sites.keys()].filter((id) => !within.has(id)) : [];
    const locked = [...new Set([...bench.locked, ...outside])];
    return { domain, text, locked, ...this.#size(), ...this.#marks() };
  }

  /** The request for the changes and the wish of this panel. */
  request() {
    const { size, region, ...changed } = this.#changed();
    const regions = !this.kinds.needsRegion ? {} : region ? { region } : { size };
    const kinds = this.kinds.chosen;
    const most = Number($("most").value), wish = this.wish.value();
    return { ...question(this.state), most, ...changed, kinds, ...regions, ...this.intended.request, wish };
  }

  /** End the analysis; what it found stays. */
  stop() {
    this.running?.abort();
    this.running = null;
    $("stop").disabled = true;
    $("analyse").disabled = false;
  }

  /** The marks that are tried: those that are ticked. */
  #marks() {
    const { marks } = this.ticks;
    return marks.length ? { marks } : {};
  }

  /**
   * What is flipped and turned: the region that is selected, or all of a size.
   * @returns {{region?: string[], size?: number[]}}
   */
  #size() {
    const cells = this.region.filter((id) => this.state.board.sites.get(id)?.kind === "cell");
    if (cells.length > 1) return { region: [cells[0], cells[cells.length - 1]] };
    return { size: [Number($("region-columns").value) || 2, Number($("region-rows").value) || 2] };
  }

  /** Change only what lies in a region. @param {string[]} sites all if there is none */
  #within(sites) {
    const { board } = this.state,
      titles = sites.length ? [sites[0], sites[sites.length - 1]].map((id) => board.title_(id)) : [];
    this.region = sites;
    board.choose(sites);
    $("within").hidden = !sites.length;
    $("within-what").textContent = `Only from ${titles.join(" to ")} (${counted(sites.length, "place")}).`;
    this.#toggles();
  }

  /** Draw the kinds of change as toggles; one is always chosen. */
  #toggles() {
    this.kinds.draw();
    const { board } = this.state;
    $("change-tools").replaceChildren(
      ...TOOLS.map(([name, words, help, d]) => {
        const about = { "data-change-tool": name, "aria-pressed": String(this.tool === name) };
        const use = () => {
          this.tool = this.tool === name ? "" : name;
          board.isArea = this.tool === "region";
          this.#toggles();
        };
        const named = { ...about, title: help, "aria-label": words };
        return el("button", { ...named, onclick: use }, icon(d), el("span", {}, words));
      }),
    );
    $("region").hidden = !this.kinds.needsRegion || !("size" in this.#size());
    if (this.state.opened && this.state.mode === "analyse") this.kinds.count();
  }

  /** The wish is another: what was found of it is told no longer, and the map shows its values. */
  #wished() {
    this.intended.follow(this.wish);
    if (this.seen?.metric !== this.wish.wish.metric) return;
    if (this.seen) this.heat(this.seen, this.state.board);
  }

  async analyse() {
    const { board } = this.state;
    this.stop();
    if (!this.wish.isWhole()) return undefined;
    this.request();
    if (this.ticks.isNone) return trouble(new Error("Nothing may be put: tick a mark under 'What may be put'."));
    const own = (this.running = new AbortController());
    $("stop").disabled = false;
    this.clear();
    for (const other of document.querySelectorAll("#boards > :not(#board)")) other.remove();
    await attempt(async () => {
      await this.#analysis(this.request(), board, "heat", own, true);
      if (!$("metric2").value || own.signal.aborted) return;
      const { bench } = this.state, second = (this.beside = el("epcg-board", { id: "board2" }));
      $("boards").append(second);
      second.show(bench.scene, bench.palette);
      const metric = $("metric2").value.split("/")[1];
      const wish = { metric, keep: this.wish.wish.keep, count: 1 };
      await this.#analysis({ ...this.request(), wish }, second, "heat2", own, false);
    });
    if (this.running === own) this.stop();
    return undefined;
  }

  /**
   * Measure the changes for one board; the main one's wish is answered.
   * @param {{text: string, wish: Pick<Wish, "metric" | "keep"> & Partial<Wish>}} request @param {EpcgBoard} target
   * @param {string} lane @param {AbortController} own @param {boolean} main
   */
  async #analysis(request, target, lane, own, main) {
    const { text } = request,
      { keep, metric, where = [] } = request.wish;
    const begun = { own: null, owns: {}, changes: [], answer: null, wished: [] };
    /** @type {Seen} */ const seen = { text, metric, keep, where: where.length, ...begun };
    this[main ? "seen" : "second"] = seen;
    for await (const message of ask("effects", { ...request, lane }, own.signal)) {
      if (this.state.bench.text !== text) return;
      if (message.own !== undefined) {
        seen.own = message.own;
        seen.owns = message.owns ?? {};
      }
      if (message.changes) {
        seen.changes.push(...message.changes);
      }
      if (message.wish) seen.answer = { ...seen.answer, ...message.wish };
      if (message.wished) seen.wished = message.wished;
      if (message.allowed) seen.allowed = message.allowed;
      if (message.changes?.length || message.end) this.heat(seen, target);
      if (!main) continue;
      if ("done" in message) {
        seen.at = message;
        $("progress").textContent = progress(message);
      }
      if (message.wished || message.end) this.#answered(seen, message);
    }
    if (own.signal.aborted && main && this.state.bench.text === text) {
      $("progress").textContent += " Stopped: what is shown is a part of all changes.";
      if (seen.answer && seen.at) this.#answered(seen, seen.at);
    }
  }

  /** Colour each place by its best change that is as wished. @param {Seen} seen @param {EpcgBoard} target */
  heat(seen, target) {
    const { board } = this.state,
      { title = seen.metric, words = [] } = this.wish.measure(seen.metric) ?? {},
      named = (/** @type {Value} */ value, /** @type {string} */ reason) => shown(value, reason, words),
      heat = $("blind").checked ? new Map() : colours(seen, named);
    if (target === board) $("heat-legend").replaceChildren(...legend(heat, seen, { title, words }));
    return target.colour(heat);
  }

  /** Show the maps again, or take them away while answers are hidden. */
  recolour() {
    const { board, mode, opened } = this.state;
    if (mode !== "analyse" || !opened) return;
    if (this.seen?.text === opened.text) this.heat(this.seen, board);
    if (this.beside?.isConnected && this.second?.text === opened.text) this.heat(this.second, this.beside);
  }

  /** Show how many meet the wish, and the suggestions so far. @param {Seen} seen @param {Effects} message */
  #answered(seen, message) {
    if (seen.answer && "met" in seen.answer) {
      const answer = message.end ? seen.answer : { ...seen.answer, text: `So far: ${seen.answer.text}` };
      $("wish-answer").replaceChildren(...verdict(answer, seen.allowed, message.end ? this.#instead(seen) : []));
    }
    const listed = seen.wished.length ? seen.wished : (seen.allowed?.suggestions ?? []);
    /** @type {HTMLElement[]} */
    const parts = listed.length ? [...this.list.kept(listed, seen), this.list.tiles(listed, seen)] : [];
    const known = seen.wished.length && seen.owns[seen.metric] !== undefined;
    if (message.end && known) parts.push(this.list.tried(seen, message));
    if (message.end) parts.push(...this.list.further(message, seen));
    $("suggestions").replaceChildren(...parts);
  }

  /** What one could do if nothing meets the wish. @param {Seen} seen */
  #instead(seen) {
    const { where } = this.wish.value(),
      /** @type {HTMLElement[]} */ found = [];
    const again = (/** @type {() => void} */ change) => () => {
      change();
      this.analyse();
    };
    const stands = seen.allowed && where[seen.allowed.condition],
      nearest = seen.allowed?.nearest;
    if (stands && typeof nearest === "number") {
      const key = "min" in stands ? "min" : "max" in stands ? "max" : "equals";
      const other = where.map((each) => (each === stands ? { metric: each.metric, [key]: nearest } : each));
      const words = key === "equals" ? "exactly" : key === "min" ? "at least" : "at most";
      const ask = { id: "ask-nearest", onclick: again(() => this.wish.set({ where: other })) };
      found.push(el("button", ask, `Ask for ${words} ${shown(nearest)}`));
    }
    const two = again(() => {
        $("most").value = "2";
      }),
      move = again(() => this.kinds.toggle("move"));
    if ($("most").value === "1") found.push(el("button", { onclick: two }, "Two changes at once"));
    if (!this.kinds.names.has("move")) found.push(el("button", { onclick: move }, "Take something elsewhere too"));
    return found;
  }

  /** Show what there is again. */
  back() {
    const { bench, board } = this.state;
    if (this.preview) {
      this.preview = null;
      board.show(bench.scene, bench.palette);
    }
  }

  /** Show what a change would make. @param {Change} change */
  async look(change) {
    const { domain, text } = this.state.bench,
      mine = (this.preview = {});
    const message = await one("apply", { domain, text, edits: change.edits }).catch(() => null);
    const { bench, board } = this.state;
    if (message && this.preview === mine && bench.text === text) board.show(message.scene, bench.palette);
  }

  /** Make a change, and go on from there if asked. @param {Change} change @param {boolean} [on] */
  async take(change, on = false) {
    const { domain, text } = this.state.bench;
    const wasHere = $("changes-part").contains(document.activeElement);
    this.preview = null;
    await attempt(async () => {
      step(this.state, await one("apply", { domain, text, edits: change.edits }), change.description);
    });
    if (wasHere && !$("changes-part").contains(document.activeElement)) $("analyse").focus(); // its button is gone
    if (on && this.state.bench.text !== text) await this.analyse();
  }

  /** A stroke over the board: a place is looked at. @param {string[]} sites @param {Stroke} stroke */
  stroke(sites, { erase, isArea, byKey }) {
    if (this.tool === "lock") return this.state.panels.tools.lock(sites);
    if (isArea || (byKey && sites.length > 1)) return this.#within(sites.length > 1 ? sites : []);
    return erase ? undefined : this.atSite(sites.at(-1) ?? "");
  }

  /** List the changes of a place. @param {string} site */
  atSite(site) {
    const { board } = this.state;
    const found = (this.seen?.changes ?? []).filter((change) => change.sites.includes(site));
    const none = this.seen ? "None makes another content." : "Press Try all first.";
    const list = found.length
      ? el("ul", { class: "plain" }, ...found.slice(0, 100).map((change) => el("li", {}, this.list.button(change))))
      : el("p", { class: "muted" }, none);
    $("at-site").replaceChildren(el("p", { class: "kind" }, `Changes of ${board.title_(site)}`), list);
  }
}

/** @param {Effects} message */
function progress({ done, total, seconds, end }) {
  if (end && total === 1) return "The one change was tried: nothing is left out.";
  if (end) return `All ${counted(total, "change")} were tried: nothing is left out.`;
  const rate = seconds ? `, ${Math.round(done / seconds).toLocaleString("en")} a second` : "";
  return `${done.toLocaleString("en")} of ${counted(total, "change")}${rate}.`;
}
