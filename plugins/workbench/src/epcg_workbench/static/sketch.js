// Fill: places that are open, what may stand there, and all contents that fill them.
// @ts-check
import { ask } from "./api.js";
import { ChoiceTable } from "./choices.js";
import { NARROW, barsOf, columns, keys } from "./columns.js";
import { Fillings } from "./fillings.js";
import { WishForm, verdict } from "./wish.js";
import { counted } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const SAMPLE = 200,
  WAIT = 250;

/** The panel of the mode Fill. `page` is what it needs of the page: see app.js. */
export class SketchPanel {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    /** @type {Set<string>} */ this.sites = new Set();
    /** @type {any} What trying all would cost. */ this.cost = null;
    this.asked = 0;
    /** @type {AbortController | null} */ this.trying = null;
    this.isArea = false;
    this.choices = new ChoiceTable(page, () => this.changed());
    $("sketch-sample").onclick = () => this.#run(true);
    $("sketch-run").onclick = () => this.#run(false);
    $("sketch-close").onclick = () => {
      this.sites.clear();
      this.changed();
    };
    for (const button of $("sketch-bar").querySelectorAll("[data-open]"))
      button.onclick = () => this.#use(button.dataset.open);
    this.wish = new WishForm($("sketch-wish"), "sketch-", page.el, () => this.changed());
    this.wish.wish.count = 6;
    this.tiles = new Fillings(page, this.wish, this.sites);
  }

  /** Offer the measures of a domain. @param {any[]} measures */
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
    const { bench, board } = this.page,
      { taken } = this.choices;
    const kinds = new Map(bench().palette.map((/** @type {any} */ mark) => [mark.name, mark.kinds]));
    return new Map(
      [...this.sites].map((site) => {
        const kind = board.sites.get(site)?.kind;
        return [site, taken.filter((name) => name === "" || kinds.get(name)?.includes(kind))];
      }),
    );
  }

  /** Show what strokes do here. */
  follow() {
    const { board, bench } = this.page;
    board.isArea = this.isArea;
    this.#draw();
    if (this.sites.size && ![this.text, this.tiles.taken].includes(bench().text)) this.changed(); // drawn meanwhile
  }

  /** @param {string} name */
  #use(name) {
    this.isArea = name === "area";
    for (const button of $("sketch-bar").querySelectorAll("[data-open]"))
      button.setAttribute("aria-pressed", String(button.dataset.open === name));
    this.follow();
  }

  /** Open places, or close them if all of them are open. @param {string[]} sites @param {boolean} close */
  stroke(sites, close) {
    const { bench, board, trouble } = this.page,
      { palette, scene, locked } = bench();
    const able = new Set(
      palette.filter((/** @type {any} */ mark) => mark.name).flatMap((/** @type {any} */ mark) => mark.kinds),
    );
    const own = [...new Set(sites)].filter((site) => able.has(board.sites.get(site)?.kind) && !locked.has(site));
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
    const groups = new Map();
    for (const [site, marks] of this.open) {
      const key = JSON.stringify(marks);
      groups.set(key, [...(groups.get(key) ?? []), site]);
    }
    const open = [...groups].map(([marks, sites]) => ({ sites, marks: JSON.parse(marks) }));
    return { open, counts: this.choices.counts(this.sites.size) };
  }

  #draw() {
    const { board, mode } = this.page;
    if (mode() === "sketch") board.leaveOpen(this.open);
  }

  #forget() {
    this.trying?.abort();
    for (const id of ["sketch-answer", "sketch-found", "sketch-bars", "sketch-pins"]) $(id).replaceChildren();
    for (const id of ["sketch-progress", "sketch-of"]) $(id).textContent = "";
  }

  /** Draw what is open, and count after a moment. */
  changed() {
    const { bench } = this.page,
      { size } = this.sites;
    this.text = bench().text;
    this.#draw();
    this.choices.show([...this.sites].map((site) => bench().scene.marks[site] ?? []));
    $("sketch-lost").textContent = this.#lost();
    this.cost = null;
    for (const id of ["sketch-sample", "sketch-run"]) $(id).disabled = true;
    $("sketch-count").textContent = size ? "Counting …" : "No place is open yet: drag over the board.";
    const own = (this.asked += 1);
    if (!size) this.#forget();
    else setTimeout(() => own === this.asked && this.#count(own), WAIT);
  }

  /** What lies on open places now and is not among the answers, in words. */
  #lost() {
    const { bench, board } = this.page,
      { scene, palette } = bench();
    const title = (/** @type {string} */ name) =>
      palette.find((/** @type {any} */ mark) => mark.name === name)?.title || name || "nothing";
    const lost = [];
    for (const [site, marks] of this.open) {
      const lies = scene.marks[site] ?? [];
      if (lies.length > 1) lost.push(`${lies.map(title).join(" and ")} (together) at ${board.title_(site)}`);
      else if (!marks.includes(lies[0] ?? "")) lost.push(`${title(lies[0] ?? "")} at ${board.title_(site)}`);
    }
    const more = lost.length > 3 ? `, and ${lost.length - 3} more` : "";
    return lost.length ? `No answer keeps ${lost.slice(0, 3).join(", ")}${more}.` : "";
  }

  #question() {
    const [evaluator, metric] = this.wish.choice.split("/");
    return { ...this.page.question(), evaluator, metric, wish: this.wish.value(), ...this.params() };
  }

  /** Count the fillings, say what trying all costs, and show the first answers. @param {number} own */
  async #count(own) {
    const { attempt, price } = this.page,
      request = this.#question(),
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
        if (!("toml" in found)) {
          $("sketch-count").textContent = `${many}. Estimating …`;
          continue;
        }
        this.cost = found;
        $("sketch-toml").value = found.toml;
        const cost = found.remaining === "0" ? "They are recorded already." : price(found, "All of them take about");
        $("sketch-count").replaceChildren(
          this.page.el("b", {}, `${many}. `),
          this.page.el("span", { class: "muted" }, cost),
        );
        isCounted = true;
        $("sketch-run").disabled = false;
        $("sketch-sample").disabled = number <= BigInt(SAMPLE);
      }
      await this.#first(own, request, trying);
    });
    const place = $("sketch-count");
    if (own === this.asked && !isCounted && /…$/.test(place.textContent)) place.textContent = "";
  }

  /**
   * Show answers of fillings that are tried at once.
   * @param {number} own @param {any} request @param {AbortController} trying
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
    const { record, attempt } = this.page;
    this.trying?.abort();
    const request = { ...this.#question(), job: "sketch", ...(sample ? { sample: SAMPLE } : {}) },
      own = this.asked;
    const ended = await record(request, $("sketch-progress"));
    if (ended?.state === "finished" && own === this.asked)
      await attempt(() => this.#recorded(ended.runs.at(-1), request));
  }

  /** Show what a wish keeps of a run. @param {number} run @param {any} request */
  async #recorded(run, request) {
    const { metric, wish } = request,
      tiles = [];
    let told = null;
    for await (const found of ask("recorded", { run, metric, wish })) {
      if (found.wish) told = found;
      else tiles.push(found);
    }
    $("sketch-of").textContent = told?.so_far
      ? `A sample: shown are the best of ${told.so_far}. Counts, pictures and bars are of this sample. ${told.of_all}`
      : "All were tried.";
    if (told) this.#show(tiles, told.wish, told.histogram, request, Boolean(told.so_far));
  }

  /**
   * Show how many meet the wish, how the values are distributed, and the answers.
   * @param {any[]} found @param {any} told @param {any[]} histogram @param {any} request @param {boolean} isSample
   */
  #show(found, told, histogram, { metric, wish }, isSample) {
    const { el, shown } = this.page,
      { count } = this.wish.wish;
    const answer = isSample ? { ...told, text: `In the sample: ${told.text}` } : told;
    $("sketch-answer").replaceChildren(...verdict(el, answer));
    const bars = barsOf(this.wish.measure(metric)?.kind === "bool" ? [] : histogram),
      title = this.wish.title(metric);
    const drawn = bars.length
      ? [columns(bars, { title, shown, size: NARROW }), keys(el, title, wish.where.length > 0)]
      : [];
    $("sketch-bars").replaceChildren(...drawn);
    const names = [...new Set([metric, ...wish.where.map((/** @type {any} */ each) => each.metric), ...wish.then])];
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
            told.conditions?.length > 1 ? "None of them is as wished." : "None of them has a value.",
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
