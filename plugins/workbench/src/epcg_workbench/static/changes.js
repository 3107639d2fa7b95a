// Changes: what every change of a content does, as a map, and those that meet a wish.
// @ts-check
import { EpcgBoard } from "./board.js";
import { ask, one } from "./api.js";
import { ChangeKinds } from "./change_kinds.js";
import { icon } from "./drawing.js";
import { colours, legend } from "./heat.js";
import { isInvisible } from "./palette.js";
import { offerReductions } from "./reducing.js";
import { Suggestions } from "./suggestions.js";
import { WishForm, verdict } from "./wish.js";
import { counted } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const TOOLS = [
  [
    "region",
    "Region",
    "Drag over the board: only what lies in the region is changed",
    "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  ],
  ["lock", "Lock", "Drag over places that stay as they are", "M4 7h8v6H4zM6 7V5a2 2 0 014 0v2"],
];

/** The panel of the mode Changes. `page` is what it needs of the page: see app.js. */
export class ChangesPanel {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    /** @type {AbortController | null} */ this.running = null;
    /** @type {any} What the last analysis found. */ this.seen = null;
    /** @type {any} The same of the measure beside it. */ this.second = null;
    this.kinds = new ChangeKinds(page.el, () => this.#changed(), () => this.#toggles());
    /** What a stroke means: '' looks at a place. */ this.tool = "";
    /** The sites that are changed; none for all. @type {string[]} */ this.region = [];
    this.wish = new WishForm($("wish"), "", page.el, () => this.#wished());
    this.list = new Suggestions({
      ...page,
      wish: this.wish,
      look: (/** @type {any} */ change) => this.#look(change),
      back: () => this.#back(),
      take: (/** @type {any} */ change, /** @type {boolean} */ on) => this.#take(change, on),
    });
    $("analyse").onclick = () => this.analyse();
    $("stop").onclick = () => this.stop();
    offerReductions(page);
    $("record").onclick = () => page.record(this.request(), $("progress"));
    $("whole-board").onclick = () => this.#within([]);
    for (const id of ["region-columns", "region-rows"]) $(id).onchange = () => this.kinds.count();
    this.#toggles();
  }

  /** Begin with the contents of a domain. @param {any[]} measures */
  begin(measures) {
    const { el } = this.page;
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
    for (const id of ["wish-answer", "suggestions", "at-site"]) $(id).replaceChildren();
    this.seen = null;
    this.preview = null;
    $("progress").textContent = "";
    $("heat-legend").replaceChildren();
    if (this.page.mode() === "analyse") this.kinds.count();
  }

  /** Show what strokes do here: the page has turned to this mode, or to another content. */
  follow() {
    const { board } = this.page;
    board.isArea = this.tool === "region";
    board.choose(this.region.filter((id) => board.sites.has(id)));
    if (board.chosen.size !== this.region.length) this.#within([]);
    else this.kinds.count();
  }

  /** What is changed, by which marks, and which regions are flipped and turned. */
  #changed() {
    const { bench, board } = this.page,
      { domain, text } = bench(),
      within = new Set(this.region);
    const outside = within.size ? [...board.sites.keys()].filter((id) => !within.has(id)) : [];
    const locked = [...new Set([...bench().locked, ...outside])];
    return { domain, text, locked, ...this.#size(), ...this.#marks() };
  }

  /** The request for the changes and the wish of this panel. */
  request() {
    const { size, region, ...changed } = this.#changed(),
      { question } = this.page;
    const regions = !this.kinds.needsRegion ? {} : region ? { region } : { size };
    const kinds = this.kinds.chosen;
    return { ...question(), most: Number($("most").value), ...changed, kinds, ...regions, wish: this.wish.value() };
  }

  /** End the analysis; what it found stays. */
  stop() {
    this.running?.abort();
    this.running = null;
    $("stop").disabled = true;
    $("analyse").disabled = false;
  }

  /** The marks that are tried: those that can be seen, and nothing. */
  #marks() {
    const { palette } = this.page.bench(),
      seen = palette.filter((/** @type {any} */ mark) => mark.name && !isInvisible(mark));
    const all = palette.filter((/** @type {any} */ mark) => mark.name);
    return seen.length && seen.length < all.length
      ? { marks: ["", ...seen.map((/** @type {any} */ mark) => mark.name)] }
      : {};
  }

  /** What is flipped and turned: the region that is selected, or all of a size. */
  #size() {
    const cells = this.region.filter((id) => this.page.board.sites.get(id)?.kind === "cell");
    if (cells.length > 1) return { region: [cells[0], cells.at(-1)] };
    return { size: [Number($("region-columns").value) || 2, Number($("region-rows").value) || 2] };
  }

  /** Change only what lies in a region. @param {string[]} sites all if there is none */
  #within(sites) {
    const { board } = this.page,
      titles = sites.length ? [sites[0], sites.at(-1)].map((id) => board.title_(id)) : [];
    this.region = sites;
    board.choose(sites);
    $("within").hidden = !sites.length;
    $("within-what").textContent = `Only from ${titles.join(" to ")} (${counted(sites.length, "place")}).`;
    this.#toggles();
  }

  /** Draw the kinds of change as toggles; one is always chosen. */
  #toggles() {
    const { el } = this.page;
    this.kinds.draw();
    const { board } = this.page;
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
    if (this.page.bench() && this.page.mode() === "analyse") this.kinds.count();
  }

  /** The wish is another: what was found of it is told no longer, and the map shows its values. */
  #wished() {
    if (this.seen?.metric !== this.wish.wish.metric) return;
    if (this.seen) this.heat(this.seen, this.page.board);
  }

  async analyse() {
    const { el, bench, board, attempt } = this.page;
    this.stop();
    const own = (this.running = new AbortController());
    $("stop").disabled = false;
    this.clear();
    for (const other of document.querySelectorAll("#boards > :not(#board)")) other.remove();
    await attempt(async () => {
      await this.#analysis(this.request(), board, "heat", own, true);
      if (!$("metric2").value || own.signal.aborted) return;
      const second = /** @type {EpcgBoard} */ (el("epcg-board", { id: "board2" }));
      $("boards").append(second);
      second.show(bench().scene, bench().palette);
      const metric = $("metric2").value.split("/")[1];
      const wish = { metric, keep: this.wish.wish.keep, count: 1 };
      await this.#analysis({ ...this.request(), wish }, second, "heat2", own, false);
    });
    if (this.running === own) this.stop();
  }

  /**
   * Measure the changes for one board; the main one's wish is answered.
   * @param {any} request @param {EpcgBoard} target @param {string} lane @param {AbortController} own
   * @param {boolean} main
   */
  async #analysis(request, target, lane, own, main) {
    const { bench } = this.page,
      { text } = request,
      { keep, metric, where = [] } = request.wish;
    const begun = { own: null, owns: {}, changes: [], answer: null, wished: [] };
    const seen = { text, metric, keep, where: where.length, ...begun };
    this[main ? "seen" : "second"] = seen;
    for await (const message of ask("effects", { ...request, lane }, own.signal)) {
      if (bench().text !== text) return;
      if ("own" in message) {
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
    if (own.signal.aborted && main && bench().text === text) {
      $("progress").textContent += " Stopped: what is shown is a part of all changes.";
      if (seen.answer && seen.at) this.#answered(seen, seen.at);
    }
  }

  /** Colour each place by its best change that is as wished. @param {any} seen @param {EpcgBoard} target */
  heat(seen, target) {
    const { el, shown, board } = this.page,
      heat = $("blind").checked ? new Map() : colours(seen, shown);
    if (target === board)
      $("heat-legend").replaceChildren(...legend(heat, seen, el, shown, this.wish.title(seen.metric)));
    return target.colour(heat);
  }

  /** Show the maps again, or take them away while answers are hidden. */
  recolour() {
    const { board, bench, mode } = this.page;
    for (const [seen, target] of [
      [this.seen, board],
      [this.second, document.getElementById("board2")],
    ])
      if (target && mode() === "analyse" && seen?.text === bench().text) this.heat(seen, target);
  }

  /** Show how many meet the wish, and the suggestions so far. @param {any} seen @param {any} message */
  #answered(seen, message) {
    const { el } = this.page;
    if (seen.answer && "met" in seen.answer) {
      const answer = message.end ? seen.answer : { ...seen.answer, text: `So far: ${seen.answer.text}` };
      $("wish-answer").replaceChildren(...verdict(el, answer, seen.allowed, message.end ? this.#instead(seen) : []));
    }
    const listed = seen.wished.length ? seen.wished : (seen.allowed?.suggestions ?? []);
    const parts = listed.length ? [...this.list.kept(listed, seen), this.list.tiles(listed, seen)] : [];
    const known = seen.wished.length && seen.owns[seen.metric] !== undefined;
    if (message.end && known) parts.push(this.list.tried(seen, message));
    if (message.end) parts.push(...this.list.further(message, seen));
    $("suggestions").replaceChildren(...parts);
  }

  /** What one could do if nothing meets the wish. @param {any} seen */
  #instead(seen) {
    const { el, shown } = this.page,
      { where } = this.wish.value(),
      found = [];
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

  #back() {
    const { bench, board } = this.page;
    if (this.preview) {
      this.preview = null;
      board.show(bench().scene, bench().palette);
    }
  }

  async #look(change) {
    const { bench, board } = this.page,
      { domain, text } = bench(),
      mine = (this.preview = {});
    const message = await one("apply", { domain, text, edits: change.edits }).catch(() => null);
    if (message && this.preview === mine && bench().text === text) board.show(message.scene, bench().palette);
  }

  /** Make a change, and go on from there if asked. @param {any} change @param {boolean} [on] */
  async #take(change, on = false) {
    const { bench, attempt, step } = this.page,
      { domain, text } = bench();
    const wasHere = $("changes-part").contains(document.activeElement);
    this.preview = null;
    await attempt(async () => step(await one("apply", { domain, text, edits: change.edits }), change.description));
    if (wasHere && !$("changes-part").contains(document.activeElement)) $("analyse").focus(); // its button is gone
    if (on && bench().text !== text) await this.analyse();
  }

  /** A stroke over the board: a place is looked at. @param {string[]} sites @param {any} detail */
  stroke(sites, { erase, isArea, byKey }) {
    if (this.tool === "lock") return this.page.lock(sites);
    if (isArea || (byKey && sites.length > 1)) return this.#within(sites.length > 1 ? sites : []);
    return erase ? undefined : this.atSite(sites.at(-1) ?? "");
  }

  /** List the changes of a place. @param {string} site */
  atSite(site) {
    const { el, board } = this.page;
    const found = (this.seen?.changes ?? []).filter((change) => change.sites.includes(site));
    const none = this.seen ? "None makes another content." : "Press Try all first.";
    const list = found.length
      ? el("ul", { class: "plain" }, ...found.slice(0, 100).map((change) => el("li", {}, this.list.button(change))))
      : el("p", { class: "muted" }, none);
    $("at-site").replaceChildren(el("p", { class: "kind" }, `Changes of ${board.title_(site)}`), list);
  }
}

/** @param {any} message */
function progress({ done, total, seconds, end }) {
  const rate = seconds ? `, ${Math.round(done / seconds).toLocaleString("en")} a second` : "";
  const all = end ? "All of them: nothing is left out." : "";
  return `${done.toLocaleString("en")} of ${counted(total, "change")}${rate}. ${all}`;
}
