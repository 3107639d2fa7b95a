// The page that asks questions: a form and its TOML, what it costs, and what was found.
// @ts-check
import { svg } from "./board.js";
import { ask, one } from "./api.js";
import { Pictures } from "./pictures.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const SAMPLE = 1000, WAIT = 400, GALLERY = 1000, TABLE = 200, SAVED = "epcg:questions";
const [WIDE, HIGH, LEFT, FOOT] = [480, 200, 46, 26];

/** A drawing of `what` in the page's own coordinates. @param {any[]} parts @param {string} label */
const plot = (parts, label) => svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label }, ...parts);
function label(x, y, words, anchor = "middle") { const made = svg("text", { x, y, "text-anchor": anchor }); made.textContent = words; return made; }

export class AskPage {
  /** @param {any} page what it needs of the page: see app.js */
  constructor(page) {
    this.page = page;
    /** @type {any[]} */ this.domains = [];
    /** @type {any} */ this.common = null;
    this.text = ""; this.query = null; this.asked = 0;
    /** @type {any} */ this.found = null;
    /** @type {[number, number] | null} */ this.range = null;
    $("ask-text").oninput = () => this.#later(() => this.#read({ text: $("ask-text").value }, false));
    $("ask-begin").onchange = () => $("ask-begin").value && this.#begin($("ask-begin").value);
    $("ask-saved").onchange = () => { const kept = this.#saved()[$("ask-saved").value]; if (kept) this.#read({ text: kept }); };
    $("ask-save").onclick = () => this.#save();
    $("ask-copy").onclick = () => page.copied(this.text, "Query");
    $("ask-run").onclick = () => this.#run({});
    $("ask-sample").onclick = () => this.#run({ sample: SAMPLE });
    $("ask-resume").onclick = () => this.#run({ resume: Number($("ask-runs").value) });
    $("ask-runs").onchange = () => this.show(Number($("ask-runs").value));
    for (const id of ["ask-metric", "ask-second"]) $(id).onchange = () => this.show(this.found.run, id === "ask-second");
    $("ask-order").onchange = () => this.#candidates();
    $("ask-gallery-button").onclick = () => this.#tab(true);
    $("ask-table-button").onclick = () => this.#tab(false);
    this.pictures = new Pictures("picture");
  }

  /** Open the page. */
  async open() {
    const { attempt, el } = this.page;
    if (!this.common) {
      await attempt(async () => {
        this.domains = [];
        for await (const part of ask("parts")) if (part.domain) this.domains.push(part); else this.common = part;
        $("ask-begin").replaceChildren(el("option", { value: "" }, "…"), el("optgroup", { label: "a new question" }, ...this.domains.map(({ domain, title }) => el("option", { value: domain }, title))), el("optgroup", { label: "a shipped query" }, ...this.common.shipped.map((name) => el("option", { value: name }, name))));
      });
      this.#savedList();
      if (!this.text && this.domains.length) await this.#begin(this.domains[0].domain);
    }
    await this.#runs();
  }

  #begin(what) { return this.#read(what.includes("/") ? { shipped: what } : { domain: what }); }
  #later(what) { const own = (this.asked += 1); setTimeout(() => own === this.asked && what(), WAIT); }

  /** Read or change the question; the text is written only if it was not typed here. */
  async #read(request, write = true) {
    const own = (this.asked += 1);
    try {
      const found = await one("question", request);
      if (own !== this.asked) return;
      this.text = found.text; this.query = found.query; this.metrics = found.metrics;
      if (write) $("ask-text").value = found.text;
      $("ask-trouble").textContent = "";
      this.#form();
      this.#cost();
    } catch (error) {
      if (own === this.asked) { $("ask-trouble").textContent = String(error.message ?? error); $("ask-cost").textContent = ""; if (!write) this.text = $("ask-text").value; }
    }
  }

  /** Change a key of the text as it stands, typed or not yet read. @param {(string|number)[]} path @param {any} value */
  change(path, value) { return this.#read({ text: $("ask-text").value, changes: [[path, value]] }); }

  // ---- the form

  #form() {
    const { el } = this.page, query = this.query;
    const domain = this.domains.find((each) => each.domain === query.domain);
    if (!domain) return $("ask-fields").replaceChildren(el("p", {}, `There is no domain ${query.domain}.`));
    const generator = domain.generators.find((each) => each.name === query.generator.name);
    const parts = [this.#part("Generator", domain.generators, query.generator, generator, ["generator"])];
    query.evaluators.forEach((part, at) => {
      const own = domain.evaluators.find((each) => each.name === part.name);
      parts.push(this.#part(`Evaluator ${at + 1}`, domain.evaluators, part, own, ["evaluators", at], query.evaluators.length > 1));
    });
    parts.push(el("p", {}, el("label", {}, "Further measures ", this.#choice("", [["", "…"], ...domain.evaluators.map((each) => [each.name, each.name])], (name) => name && this.change(["evaluators", query.evaluators.length], { name })))));
    query.select.forEach((rule, at) => {
      const fields = this.common.select.map((field) => ({ ...field, ...(field.name === "metric" ? { kind: "choice", choices: this.metrics } : field.name === "keep" ? { kind: "choice", choices: this.common.keep } : {}) }));
      const remove = el("button", { onclick: () => this.change(["select", at], null) }, "Remove");
      parts.push(el("fieldset", { "data-part": `select-${at}` }, el("legend", {}, `Keep ${at + 1}`), ...fields.map((field) => this.#field(field, rule[field.name], ["select", at, field.name])), remove));
    });
    parts.push(el("p", {}, el("button", { onclick: () => this.change(["select", query.select.length], { metric: this.metrics[0] ?? "", keep: "top", count: 10 }) }, "Keep more")));
    $("ask-fields").replaceChildren(...parts);
    return undefined;
  }

  #part(title, all, part, info, path, removable = false) {
    const { el } = this.page;
    const names = all.map((each) => [each.name, each.name]);
    if (!info) names.unshift([part.name, `${part.name} (unknown)`]);
    const choice = this.#choice(part.name, names, (name) => this.change(path, { name }));
    const fields = (info?.fields ?? []).map((field) => this.#field(field, part.params[field.name], [...path, field.name]));
    const remove = removable ? el("button", { onclick: () => this.change(path, null) }, "Remove") : "";
    return el("fieldset", { "data-part": path.join("-") }, el("legend", {}, title), el("div", { class: "field" }, el("label", {}, "kind"), choice, el("small", {}, info?.summary ?? "")), ...fields, remove);
  }

  #choice(value, options, take) {
    const { el } = this.page;
    const made = el("select", { onchange: () => take(made.value) }, ...options.map(([name, title]) => el("option", { value: name, selected: name === value }, title)));
    return made;
  }

  /** One param. @param {any} field @param {any} value @param {(string|number)[]} path */
  #field(field, value, path) {
    const { el } = this.page;
    const set = (next) => this.change(path, next);
    const given = value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    const usual = field.default === null ? "" : typeof field.default === "object" ? JSON.stringify(field.default) : String(field.default);
    let input;
    if (field.kind === "bool") input = el("input", { type: "checkbox", checked: value ?? field.default, onchange: () => set(input.checked) });
    else if (field.kind === "choice") input = this.#choice(given, [...(field.required || given ? [] : [["", usual || "…"]]), ...field.choices.map((each) => [String(each), String(each)])], (name) => set(name === "" ? null : field.choices.find((each) => String(each) === name)));
    else if (field.long) { input = el("textarea", { rows: "5", spellcheck: "false", onchange: () => set(input.value || null) }); input.value = given; } else if (field.kind === "int" || field.kind === "float") input = el("input", { type: "number", step: field.kind === "int" ? "1" : "any", min: field.minimum ?? undefined, max: field.maximum ?? undefined, placeholder: usual, value: given, onchange: () => set(input.value === "" ? null : Number(input.value)) });
    else input = el("input", { placeholder: usual, value: given, onchange: () => set(input.value === "" ? null : field.kind === "text" ? input.value : { toml: input.value }) });
    input.setAttribute("aria-label", field.name);
    input.dataset.field = field.name;
    return el("div", { class: "field" }, el("label", {}, field.name.replaceAll("_", " ")), input, el("small", {}, field.help));
  }

  // ---- cost and runs

  async #cost() {
    const { price } = this.page, text = this.text, own = this.asked;
    $("ask-cost").textContent = "Estimating …";
    try {
      for await (const found of ask("cost", { text })) {
        if (own !== this.asked || found.stopped) return;
        const left = BigInt(found.remaining);
        $("ask-cost").textContent = left === 0n ? "It is recorded already." : `${left.toLocaleString("en")} candidates, ${price(found)}`;
      }
    } catch (error) { if (own === this.asked) $("ask-cost").textContent = String(error.message ?? error); }
  }

  async #run(more) {
    const { record } = this.page;
    const ended = await record({ job: "asked", text: this.text, ...more }, $("ask-progress"));
    await this.#runs();
    if (ended?.runs?.length) { $("ask-runs").value = String(ended.runs.at(-1)); await this.show(ended.runs.at(-1)); }
  }

  async #runs() {
    const { el, attempt } = this.page;
    const chosen = $("ask-runs").value;
    await attempt(async () => {
      const options = [];
      for await (const run of ask("runs")) options.push(el("option", { value: run.run }, `${run.run}: ${run.space.split("?")[0]}, ${Number(run.evaluated).toLocaleString("en")} of ${Number(run.candidates).toLocaleString("en")}${run.state === "done" ? "" : `, ${run.state}`}`));
      $("ask-runs").replaceChildren(el("option", { value: "" }, options.length ? "…" : "none yet"), ...options);
      if (chosen) $("ask-runs").value = chosen;
    });
  }

  // ---- results

  /** Show a recorded run. @param {number} run @param {boolean} keep the range */
  async show(run, keep = false) {
    const { el, attempt } = this.page;
    $("ask-results").hidden = !run;
    if (!run) return;
    await attempt(async () => {
      const same = this.found?.run === run;
      const found = await one("results", { run, ...(same ? { metric: $("ask-metric").value } : {}) });
      this.found = found;
      if (!keep) this.range = null;
      if (!same) {
        const options = () => found.metrics.map(([name, , , about]) => el("option", { value: name, title: about }, name.replaceAll("_", " ")));
        $("ask-metric").replaceChildren(...options());
        $("ask-second").replaceChildren(el("option", { value: "" }, "none"), ...options());
        $("ask-order").value = found.metrics.find(([name]) => name === found.metric)?.[2] === "min" ? "min" : "max";
      }
      $("ask-metric").value = found.metric;
      $("ask-resume").hidden = !found.resumable;
      $("ask-about").textContent = `${found.space.split("?")[0]}: ${Number(found.evaluated).toLocaleString("en")} of ${Number(found.candidates).toLocaleString("en")} candidates evaluated. ${found.note ?? ""}`;
      $("ask-about").title = found.space;
      this.#histogram();
      await Promise.all([this.#scatter(), this.#candidates()]);
    });
  }

  #histogram() {
    const { bins, metric } = this.found;
    if (!bins.length) return $("ask-histogram").replaceChildren();
    const most = Math.max(...bins.map(([, , count]) => count)), low = bins[0][0], high = bins.at(-1)[1], span = high - low || 1;
    const whole = bins.every(([from, to]) => from === to), step = whole ? Math.min(...bins.slice(1).map(([from], at) => from - bins[at][0]), span) || 1 : 0;
    const [first, last] = whole ? [low - step / 2, high + step / 2] : [low, high];
    const x = (value) => LEFT + ((value - first) / (last - first || 1)) * (WIDE - LEFT - 8);
    const value = (at) => first + ((at - LEFT) / (WIDE - LEFT - 8)) * (last - first || 1);
    const y = (count) => (HIGH - FOOT) * (1 - Math.sqrt(count / most)) + 4;
    const bars = bins.map(([from, to, count]) => {
      const [a, b] = whole ? [x(from - 0.45 * step), x(from + 0.45 * step)] : [x(from), x(to)];
      const out = this.range && (to < this.range[0] || from > this.range[1]);
      const bar = svg("rect", { x: a, y: y(count), width: Math.max(1, b - a - 0.5), height: HIGH - FOOT - y(count) + 4, class: out ? "bar out" : "bar" });
      const title = svg("title"); title.textContent = `${whole ? from : `${from} to ${to}`}: ${count.toLocaleString("en")}`;
      bar.append(title);
      return bar;
    });
    const brush = svg("rect", { class: "brush", y: 0, height: HIGH - FOOT + 4, x: 0, width: 0 });
    if (this.range) { brush.setAttribute("x", String(x(Math.max(first, this.range[0])))); brush.setAttribute("width", String(Math.max(0, x(Math.min(last, this.range[1])) - x(Math.max(first, this.range[0]))))); }
    const words = metric.replaceAll("_", " ");
    const drawn = plot([...bars, brush, label(LEFT, HIGH - 8, this.page.shown(low), "start"), label(WIDE - 8, HIGH - 8, this.page.shown(high), "end"), label(WIDE / 2, HIGH - 8, words), label(LEFT - 6, 14, most.toLocaleString("en"), "end")], `How ${words} is distributed; drag to choose a range`);
    let from = null;
    const at = (event) => { const box = drawn.getBoundingClientRect(); return value(Math.max(LEFT, Math.min(WIDE - 8, ((event.clientX - box.left) / box.width) * WIDE))); };
    drawn.addEventListener("pointerdown", (event) => { from = at(event); drawn.setPointerCapture(event.pointerId); });
    drawn.addEventListener("pointermove", (event) => { if (from === null) return; const to = at(event); brush.setAttribute("x", String(x(Math.min(from, to)))); brush.setAttribute("width", String(Math.abs(x(to) - x(from)))); });
    drawn.addEventListener("pointerup", (event) => {
      const to = at(event);
      this.range = from === null || Math.abs(x(to) - x(from)) < 3 ? null : [Math.min(from, to), Math.max(from, to)];
      from = null;
      this.#histogram();
      this.#candidates();
    });
    return $("ask-histogram").replaceChildren(drawn);
  }

  async #scatter() {
    const second = $("ask-second").value, { run, metric } = this.found;
    $("ask-scatter").replaceChildren();
    if (!second) return;
    const { points, drawn } = await one("points", { run, metric, second, lane: "points" });
    if (!points.length || second !== $("ask-second").value) return;
    const [us, vs] = [1, 2].map((at) => points.map((point) => Number(point[at])));
    const ends = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    const [[left, right], [low, high]] = [ends(us), ends(vs)];
    const dots = points.map(([rank], at) => {
      const dot = svg("circle", { cx: LEFT + ((us[at] - left) / (right - left || 1)) * (WIDE - LEFT - 16) + 4, cy: (HIGH - FOOT - 8) * (1 - (vs[at] - low) / (high - low || 1)) + 6, r: 3 });
      const title = svg("title"); title.textContent = `rank ${rank}: ${us[at]}, ${vs[at]}`;
      dot.append(title);
      dot.addEventListener("click", () => this.#open(`${run}#${rank}`));
      return dot;
    });
    const words = (name) => name.replaceAll("_", " ");
    $("ask-scatter").replaceChildren(plot([...dots, label(WIDE / 2, HIGH - 6, `${words(metric)} ${this.page.shown(left)} to ${this.page.shown(right)}`), label(4, 14, this.page.shown(high), "start"), label(4, HIGH - FOOT, this.page.shown(low), "start")], `${words(second)} over ${words(metric)} of ${points.length} candidates${drawn ? " drawn by chance" : ""}`));
  }

  async #candidates() {
    const { el, attempt, shown } = this.page, { run, metric } = this.found;
    const [low, high] = this.range ?? [null, null];
    await attempt(async () => {
      const found = await one("candidates", { run, metric, direction: $("ask-order").value, count: GALLERY, ...(low === null ? {} : { low, high }), lane: "candidates" });
      if (found.stopped || this.found.run !== run) return;
      const total = Number(found.total), many = found.candidates.length;
      $("ask-range").textContent = `${total.toLocaleString("en")} candidates${low === null ? " have a value" : ` from ${shown(low)} to ${shown(high)}`}; ${many < total ? `the ${many.toLocaleString("en")} best are shown` : "all are shown"}.`;
      this.pictures.clear();
      $("ask-gallery").replaceChildren(...found.candidates.map(({ puzzle, values }) => {
        const words = `${metric.replaceAll("_", " ")} ${shown(values[metric])}`;
        const tile = el("li", {}, el("button", { class: "open", onclick: () => this.#open(puzzle) }, el("span", { class: "picture" }), el("span", {}, words)), el("button", { class: "into", "aria-label": `Into a chapter: ${words}`, onclick: () => this.page.into({ puzzle }, metric) }, "Into a chapter"));
        this.pictures.show(tile, puzzle);
        return tile;
      }));
      const names = this.found.metrics.map(([name]) => name);
      const rows = found.candidates.slice(0, TABLE).map(({ rank, puzzle, values }) => el("tr", {}, el("td", {}, el("button", { onclick: () => this.#open(puzzle) }, rank)), ...names.map((name) => el("td", { class: "value" }, shown(values[name])))));
      $("ask-table").replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "rank"), ...names.map((name) => el("th", {}, name.replaceAll("_", " "))))), el("tbody", {}, ...rows)));
    });
  }

  #tab(pictures) {
    $("ask-gallery-button").setAttribute("aria-pressed", String(pictures));
    $("ask-table-button").setAttribute("aria-pressed", String(!pictures));
    $("ask-gallery").hidden = !pictures; $("ask-table").hidden = pictures;
  }

  #open(puzzle) {
    if (!this.found.editor) return this.page.trouble(new Error(`${this.found.domain} has no editor: epcg render "${puzzle}" draws it.`));
    return this.page.adoptPuzzle(puzzle);
  }

  // ---- saved questions

  #saved() { try { return JSON.parse(localStorage.getItem(SAVED) || "{}"); } catch { return {}; } }

  #savedList() {
    const { el } = this.page;
    $("ask-saved").replaceChildren(el("option", { value: "" }, "–"), ...Object.keys(this.#saved()).map((name) => el("option", { value: name }, name)));
  }

  #save() {
    const name = this.query?.title || this.query?.name || "question";
    try { localStorage.setItem(SAVED, JSON.stringify({ ...this.#saved(), [name]: this.text })); } catch { return this.page.trouble(new Error("This browser keeps nothing here.")); }
    this.#savedList();
    $("ask-saved").value = name;
    $("ask-progress").textContent = `Saved in this browser as “${name}”: the query's title names it.`;
    return undefined;
  }
}
