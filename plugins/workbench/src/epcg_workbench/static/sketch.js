// Sketches: places that are open, what may stand there, and all contents that fill them.
// @ts-check
import { EpcgBoard } from "./board.js";
import { ask } from "./api.js";
import { WishForm, verdict } from "./wish.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const SAMPLE = 200, WAIT = 250;

/** The panel of the mode Sketch. `page` is what it needs of the page: see app.js. */
export class SketchPanel {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    /** @type {Map<string, string[]>} */ this.open = new Map();
    /** @type {Map<string, [string, string]>} */ this.counts = new Map();
    /** @type {any} */ this.cost = null;
    this.asked = 0;
    $("sketch-sample").onclick = () => this.#run(true);
    $("sketch-run").onclick = () => this.#run(false);
    $("sketch-close").onclick = () => { this.open.clear(); this.changed(); };
    this.wish = new WishForm($("sketch-wish"), "sketch-", page.el, () => this.changed());
    this.wish.wish.count = 10;
  }

  /** Offer the measures of a domain. @param {any[]} measures */
  begin(measures) { this.wish.offer(measures); }

  /** Begin with another document: nothing is open. */
  reset() {
    const { el, bench, picture } = this.page;
    this.open.clear();
    this.counts.clear();
    const all = [{ name: "", title: "nothing" }, ...bench().palette];
    $("sketch-marks").replaceChildren(...all.map((mark) => el("label", { class: "tick" }, el("input", { type: "checkbox", value: mark.name, checked: mark.name === "" }), mark.name ? picture(mark) : "", mark.title || mark.name)));
    for (const id of ["sketch-answer", "sketch-found"]) $(id).replaceChildren();
    $("sketch-progress").textContent = "";
    this.changed();
  }

  /** Open places for the marks that are ticked; close them if they are open for these. @param {string[]} sites @param {boolean} close */
  stroke(sites, close) {
    const { bench, trouble } = this.page;
    const ticked = [...document.querySelectorAll("#sketch-marks input:checked")].map((box) => box.value);
    if (!ticked.length && !close) return trouble(new Error("Tick what may stand there first."));
    const kinds = new Map(bench().palette.map((mark) => [mark.name, mark.kinds]));
    const wanted = new Map();
    for (const site of new Set(sites)) {
      const kind = this.page.board.sites.get(site)?.kind;
      const marks = ticked.filter((name) => name === "" || kinds.get(name)?.includes(kind));
      if (marks.some((name) => name !== "")) wanted.set(site, marks);
    }
    if (!wanted.size && !close) return trouble(new Error("None of the ticked marks can lie there."));
    const same = [...wanted].every(([site, marks]) => String(this.open.get(site)) === String(marks));
    for (const site of new Set(sites)) {
      if (close || same) this.open.delete(site);
      else if (wanted.has(site)) this.open.set(site, wanted.get(site));
    }
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
    const counts = {};
    for (const [mark, [least, most]] of this.counts) {
      if ((least || most) && this.#used().includes(mark)) counts[mark] = [Number(least || 0), most === "" ? this.open.size : Number(most)];
    }
    return { open: [...groups].map(([marks, sites]) => ({ sites, marks: JSON.parse(marks) })), counts };
  }

  #used() { return [...new Set([...this.open.values()].flat())]; }

  /** Draw what is open, and count after a moment. */
  changed() {
    this.page.board.leaveOpen(new Set(this.open.keys()));
    this.#table();
    this.cost = null;
    for (const id of ["sketch-sample", "sketch-run"]) $(id).disabled = true;
    $("sketch-count").textContent = this.open.size ? "Counting …" : "No place is open yet.";
    const own = (this.asked += 1);
    if (this.open.size) setTimeout(() => own === this.asked && this.#count(own), WAIT);
  }

  #table() {
    const { el, bench } = this.page;
    const titles = new Map(bench().palette.map((mark) => [mark.name, mark.title || mark.name]));
    const field = (mark, at, word) => el("input", { type: "number", min: "0", max: String(this.open.size), value: this.counts.get(mark)?.[at] ?? "", "aria-label": `${word} ${titles.get(mark) ?? "nothing"}`, onchange: (event) => {
      const now = this.counts.get(mark) ?? ["", ""];
      now[at] = event.target.value;
      this.counts.set(mark, now);
      this.changed();
    } });
    $("sketch-counts").replaceChildren(...this.#used().map((mark) => el("tr", { "data-count": mark }, el("td", {}, titles.get(mark) ?? "nothing"), el("td", {}, field(mark, 0, "at least")), el("td", {}, field(mark, 1, "at most")))));
    $("sketch-counts-part").hidden = !this.open.size;
  }

  #question() {
    const [evaluator, metric] = this.wish.choice.split("/");
    return { ...this.page.question(), evaluator, metric, wish: this.wish.value(), ...this.params() };
  }

  async #count(own) {
    const { attempt, price } = this.page;
    await attempt(async () => {
      for await (const found of ask("sketch", this.#question())) {
        if (own !== this.asked || found.stopped) return;
        const number = BigInt(found.completions);
        const many = number === 1n ? "One content" : `${number.toLocaleString("en")} contents`;
        if (!number) { $("sketch-count").textContent = "No content: these counts cannot be met."; return; }
        if (!("toml" in found)) { $("sketch-count").textContent = `${many}. Estimating …`; continue; }
        this.cost = found;
        $("sketch-toml").value = found.toml;
        $("sketch-count").textContent = `${many}. ${found.remaining === "0" ? "They are recorded already." : price(found, "All of them take about")}`;
        $("sketch-run").disabled = false;
        $("sketch-sample").disabled = number <= BigInt(SAMPLE);
      }
    });
  }

  async #run(sample) {
    const { record, attempt } = this.page;
    const request = { ...this.#question(), job: "sketch", ...(sample ? { sample: SAMPLE } : {}) };
    const ended = await record(request, $("sketch-progress"));
    if (ended?.state === "finished") await attempt(() => this.#show(ended.runs.at(-1), request));
  }

  /** Show what a wish keeps of a run, in its order, and how many meet it. @param {number} run @param {any} request */
  async #show(run, { metric, wish }) {
    const { el, bench, shown, adoptText, into } = this.page;
    const tiles = [], names = [metric, ...wish.where.map((each) => each.metric), ...wish.then];
    let told = null;
    for await (const found of ask("recorded", { run, metric, wish })) {
      if (found.wish) told = found; else tiles.push(found);
    }
    const title = (name) => this.wish.title(name);
    $("sketch-answer").replaceChildren(...(told ? verdict(el, told.wish) : []));
    $("sketch-found").replaceChildren(...tiles.map((found) => {
      const small = /** @type {EpcgBoard} */ (el("epcg-board"));
      const told = [...new Set(names)].reverse().filter((name) => name in found.scores);
      const words = told.map((name) => `${title(name)} ${shown(found.scores[name])}`).join(", ");
      const label = `completion: ${shown(found.scores[metric])}`;
      const puzzle = { domain: bench().domain, text: found.text };
      const add = { class: "into", "aria-label": `Into a chapter: ${words}`, onclick: () => into(puzzle, metric) };
      const open = el("button", { onclick: () => adoptText(found.text, label) }, small, words);
      small.show(found.scene, bench().palette);
      small.leaveOpen(new Set(this.open.keys()));
      return el("li", {}, open, el("button", add, "Into a chapter"));
    }));
    const none = told?.wish.conditions.length > 1 ? "None of them is as wished." : "None of them has a value.";
    if (!tiles.length) $("sketch-progress").append(` ${none}`);
    if (!told?.so_far) return;
    $("sketch-progress").append(` Shown are the best of ${told.so_far}. ${told.of_all}`);
  }
}
