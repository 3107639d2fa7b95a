// Fill: places that are open, what may stand there, and all contents that fill them.
// @ts-check
import { ask } from "./api.js";
import { $, all, attempt, el, trouble } from "./base.js";
import { question } from "./bench.js";
import { ChoiceTable } from "./choices.js";
import { NARROW, barsOf, columns, keys } from "./columns.js";
import { grouped, lost } from "./counts.js";
import { Fillings } from "./fillings.js";
import { markOf } from "./palette.js";
import { record } from "./running.js";
import { WishForm, verdict } from "./wish.js";
import { counted, price, shown } from "./words.js";

const SAMPLE = 200,
  WAIT = 250;

/** What is asked about fillings, as far as answers are shown by it. @typedef {{metric: string, wish: Wish}} Asked */

/**
 * Whether a count tells what trying all would cost, too.
 * @param {Sketch} found @returns {found is Sketch & Cost & {toml: string}}
 */
const isCosted = (found) => found.toml !== undefined;

/** The panel of the mode Fill. */
export class SketchPanel {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {Set<string>} */ this.sites = new Set();
    /** The text that is counted. */ this.text = "";
    this.asked = 0;
    /** @type {AbortController | null} */ this.trying = null;
    this.isArea = false;
    this.choices = new ChoiceTable(state, () => this.changed());
    $("sketch-sample").onclick = () => this.#run(true);
    $("sketch-run").onclick = () => this.#run(false);
    $("sketch-close").onclick = () => {
      this.sites.clear();
      this.changed();
    };
    for (const button of all($("sketch-bar"), "[data-open]"))
      button.onclick = () => this.#use(button.dataset.open ?? "");
    this.wish = new WishForm($("sketch-wish"), "sketch-", () => this.changed());
    this.wish.wish.count = 6;
    this.tiles = new Fillings(state, this.wish, this.sites);
  }

  /** Offer the measures of a domain. @param {Measure[]} measures */
  begin(measures) {
    this.wish.offer(measures);
  }

  /** Begin with another document: nothing is open. */
  reset() {
    this.sites.clear();
    this.tiles.reset();
    this.choices.reset();
    this.#forget();
    this.changed();
  }

  /** The open places with what may stand there. @returns {Map<string, string[]>} */
  get open() {
    const { board } = this.state,
      { taken } = this.choices;
    const kinds = new Map(this.state.bench.palette.map((mark) => [mark.name, mark.kinds]));
    return new Map(
      [...this.sites].map((site) => {
        const kind = board.sites.get(site)?.kind ?? "";
        return [site, taken.filter((name) => name === "" || kinds.get(name)?.includes(kind))];
      }),
    );
  }

  /** Show what strokes do here. */
  follow() {
    const { board } = this.state;
    board.isArea = this.isArea;
    this.#draw();
    const isOther = ![this.text, this.tiles.taken].includes(this.state.bench.text); // it was drawn meanwhile
    if (this.sites.size && isOther) this.changed();
  }

  /** @param {string} name */
  #use(name) {
    this.isArea = name === "area";
    for (const button of all($("sketch-bar"), "[data-open]"))
      button.setAttribute("aria-pressed", String(button.dataset.open === name));
    this.follow();
  }

  /** Open places, or close them if all of them are open. @param {string[]} sites @param {boolean} close */
  stroke(sites, close) {
    const { board } = this.state,
      { palette, scene, locked } = this.state.bench;
    const able = new Set(palette.filter((mark) => mark.name).flatMap((mark) => mark.kinds));
    const own = [...new Set(sites)].filter((site) => able.has(board.sites.get(site)?.kind ?? "") && !locked.has(site));
    if (!own.length && !close) return trouble(new Error("Nothing can lie there, or the place is locked."));
    const same = own.every((site) => this.sites.has(site));
    for (const site of close || same ? sites : own)
      if (close || same) this.sites.delete(site);
      else this.sites.add(site);
    if (!close && !same) this.choices.meet(own.map((site) => scene.marks[site] ?? []));
    trouble(null);
    return this.changed();
  }

  /** The params of the generator. */
  params() {
    return { open: grouped(this.open), counts: this.choices.counts(this.sites.size) };
  }

  #draw() {
    const { board } = this.state;
    if (this.state.mode === "sketch") board.leaveOpen(this.open);
  }

  #forget() {
    this.trying?.abort();
    this.#unsay();
    $("sketch-pins").replaceChildren();
    $("sketch-progress").textContent = "";
  }

  /** Show no answers: they are about what was written before. */
  #unsay() {
    for (const place of [$("sketch-answer"), $("sketch-found"), $("sketch-bars")]) place.replaceChildren();
    $("sketch-of").textContent = "";
  }

  /** Draw what is open, and count after a moment. */
  changed() {
    const { size } = this.sites,
      { text } = this.state.bench;
    if (text !== this.text && text !== this.tiles.taken) this.#unsay();
    this.text = text;
    this.#draw();
    this.choices.show([...this.sites].map((site) => this.state.bench.scene.marks[site] ?? []));
    $("sketch-lost").textContent = this.#lost();
    for (const button of [$("sketch-sample"), $("sketch-run")]) button.disabled = true;
    $("sketch-count").textContent = size ? "Counting …" : "No place is open yet: drag over the board.";
    const own = (this.asked += 1);
    if (!size) this.#forget();
    else setTimeout(() => own === this.asked && this.#count(own), WAIT);
  }

  /** What lies on open places now and is not among the answers, in words. */
  #lost() {
    const { board } = this.state,
      { scene, palette } = this.state.bench;
    const title = (/** @type {string} */ name) =>
      palette.find((mark) => mark.name === name)?.title || name || "nothing";
    const own = (/** @type {string[]} */ names) => markOf(names, palette);
    return lost(this.open, (site) => scene.marks[site] ?? [], title, (site) => board.title_(site), own);
  }

  #question() {
    const [evaluator, metric] = this.wish.choice.split("/");
    return { ...question(this.state), evaluator, metric, wish: this.wish.value(), ...this.params() };
  }

  /** Count the fillings, say what trying all costs, and show the first answers. @param {number} own */
  async #count(own) {
    const request = this.#question(),
      { size } = this.sites;
    this.trying?.abort();
    const trying = (this.trying = new AbortController());
    let isCounted = false;
    await attempt(async () => {
      for await (const found of ask("sketch", request)) {
        if (own !== this.asked || found.stopped) return;
        const number = BigInt(found.completions);
        const many = `${counted(number, "way")} to fill ${counted(size, "place")}`;
        if (!number) {
          $("sketch-count").textContent = "There is none: these counts cannot be met.";
          return this.#forget();
        }
        if (!isCosted(found)) {
          $("sketch-count").textContent = `${many}. Estimating …`;
          continue;
        }
        $("sketch-toml").value = found.toml;
        const cost = found.remaining === "0" ? "They are recorded already." : price(found, "All of them take about");
        $("sketch-count").replaceChildren(
          el("b", {}, `${many}. `),
          el("span", { class: "muted" }, cost),
        );
        isCounted = true;
        $("sketch-run").disabled = false;
        const isFew = number <= BigInt(SAMPLE); // a sample would be all of them
        $("sketch-sample").disabled = $("sketch-sample").hidden = isFew;
        $("sketch-run").textContent = isFew ? `Try all ${number}` : "Try all";
      }
      await this.#first(own, request, trying);
    });
    const place = $("sketch-count");
    if (own === this.asked && !isCounted && /…$/.test(place.textContent)) place.textContent = "";
  }

  /**
   * Show answers of fillings that are tried at once.
   * @param {number} own @param {Asked} request @param {AbortController} trying
   */
  async #first(own, request, trying) {
    for await (const found of ask("fillings", request, trying.signal)) {
      if (own !== this.asked || found.stopped) return;
      const { tried, of } = found,
        number = BigInt(of);
      const all = BigInt(tried) === number;
      const share = `${tried.toLocaleString("en")} of ${number.toLocaleString("en")}`;
      const words = `${share} were tried, drawn by chance: counts and pictures are of this sample.`;
      $("sketch-of").textContent = all ? "All were tried." : `A sample: ${words}`;
      this.#show(found.found, found.wish, found.histogram, request, !all);
    }
  }

  /** @param {boolean} sample */
  async #run(sample) {
    if (!this.wish.isWhole()) return;
    this.trying?.abort();
    const request = { ...this.#question(), job: "sketch", ...(sample ? { sample: SAMPLE } : {}) },
      own = this.asked;
    const ended = await record(this.state, request, $("sketch-progress"));
    if (ended?.state === "finished" && own === this.asked)
      await attempt(() => this.#recorded(ended.runs[ended.runs.length - 1], request));
  }

  /** Show what a wish keeps of a run. @param {number} run @param {Asked} request */
  async #recorded(run, request) {
    const { metric, wish } = request,
      tiles = [];
    /** @type {Recorded | null} */ let told = null;
    for await (const found of ask("recorded", { run, metric, wish })) {
      if (found.wish) told = found;
      else tiles.push(found);
    }
    $("sketch-of").textContent = told?.so_far
      ? `A sample: shown are the best of ${told.so_far}. Counts, pictures and bars are of this sample. ${told.of_all}`
      : "All were tried.";
    if (told?.wish) this.#show(tiles, told.wish, told.histogram ?? [], request, Boolean(told.so_far));
  }

  /**
   * Show how many meet the wish, how the values are distributed, and the answers.
   * @param {Filling[]} found @param {WishAnswer} told @param {BarRow[]} histogram @param {Asked} request
   * @param {boolean} isSample
   */
  #show(found, told, histogram, { metric, wish }, isSample) {
    const { count } = this.wish.wish;
    const answer = isSample ? { ...told, text: `In the sample: ${told.text}` } : told;
    $("sketch-answer").replaceChildren(...verdict(answer, undefined, [], this.wish.lacking));
    const bars = barsOf(this.wish.measure(metric)?.kind === "bool" ? [] : histogram),
      title = this.wish.title(metric);
    const drawn = bars.length
      ? [columns(bars, { title, shown, size: NARROW }), keys(title, wish.where.length > 0)]
      : [];
    $("sketch-bars").replaceChildren(...drawn);
    const names = [...new Set([metric, ...wish.where.map((each) => each.metric), ...wish.then])];
    const tiles = found.filter((each) => each.text).map((each) => this.tiles.tile(each, metric, names));
    const cut = this.tiles.isCut
      ? [el("p", { class: "muted" }, "The pictures are cut out around the open places.")]
      : [];
    const more = el("button", { class: "link" }, `${(tiles.length - count).toLocaleString("en")} more`);
    const list = el("ul", { class: "tiles fillings" }, ...tiles.slice(0, count));
    more.onclick = () => {
      more.remove();
      list.append(...tiles.slice(count));
    };
    const none = tiles.length
      ? []
      : [
          el(
            "p",
            { class: "muted" },
            (told.conditions?.length ?? 0) > 1 ? "None of them is as wished." : "None of them has a value.",
          ),
        ];
    $("sketch-found").replaceChildren(
      ...none,
      list,
      ...(tiles.length > count ? [more] : []),
      ...(tiles.length ? cut : []),
    );
  }
}
