// The page of curricula: a plan as chapters of pictures. Every change is a change of the plan's text.
// @ts-check
import { svg } from "./board.js";
import { ask, one } from "./api.js";
import { fileName, keepPlan, lastPlan } from "./into.js";
import { Pictures } from "./pictures.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const LOOK_MS = 2000, KNOWN_AT_ONCE = 4, FAR = 6, EDGE = 70;
const [WIDE, HIGH, SIDE, FOOT] = [960, 220, 12, 24];
const COLOURS = 4;

export class ArrangePage {
  /** @param {any} page what it needs of the page: see app.js */
  constructor(page) {
    this.page = page;
    /** @type {any} */ this.plan = null;
    this.stamp = "";
    /** @type {string[]} texts before the present one */ this.before = [];
    /** @type {any} a text that could not be written, because the file is another */ this.waiting = null;
    /** @type {Map<string, any>} what each part chooses */ this.parts = new Map();
    /** @type {Map<string, any>} what is in a puzzle, by its id */ this.known = new Map();
    /** @type {Map<string, Set<string>>} what was taken out at a place, which "Replace" does not offer again */ this.tried = new Map();
    this.edits = Promise.resolve();
    this.writing = 0;
    this.pictures = new Pictures("strip");
    $("plan-file").onchange = () => { location.hash = `#curricula/${encodeURIComponent($("plan-file").value)}`; };
    $("plan-new").onclick = () => { $("plan-begin").hidden = !$("plan-begin").hidden; if (!$("plan-begin").hidden) $("plan-title").focus(); };
    $("plan-make").onclick = () => page.attempt(() => this.#begin());
    $("plan-undo").onclick = () => this.#undo();
    $("plan-chapter").onclick = () => this.#newChapter();
    $("plan-read").onclick = () => this.#change({ text: $("plan-text").value });
    $("plan-build").onclick = () => this.#build();
    $("plan-export").onclick = () => this.#export();
    $("plan-again").onclick = () => page.attempt(() => this.read(this.plan.name));
    $("plan-force").onclick = () => page.attempt(() => this.#write(this.waiting ?? this.plan, true));
    setInterval(() => this.#look(), LOOK_MS);
  }

  /** Open the page, with a plan if one is named. @param {string} name */
  async open(name) {
    const { el, attempt } = this.page;
    await attempt(async () => {
      const found = await one("plans");
      const wanted = name || this.plan?.name || lastPlan();
      const there = found.files.some((file) => file.name === wanted) ? wanted : found.files[0]?.name ?? "";
      $("plan-file").replaceChildren(...(found.files.length ? [] : [el("option", { value: "" }, "none yet")]), ...found.files.map((file) => el("option", { value: file.name, selected: file.name === there }, `${file.title} (${file.name})`)));
      $("plan-folder").textContent = `Plans lie in ${found.folder}.`;
      $("plan-copy").replaceChildren(el("option", { value: "" }, "nothing"), ...found.shipped.map((each) => el("option", { value: each.name }, `${each.name}: ${each.title}`)));
      $("plan-format").replaceChildren(...found.exports.map((each) => el("option", { value: each }, { html: "booklet (HTML)", pdf: "booklet (PDF)", json: "JSON", csv: "CSV", site: "play pages" }[each] ?? each)));
      $("plan-begin").hidden = Boolean(there);
      if (name && there !== name) throw new Error(`There is no plan ${name} in ${found.folder}.`);
      if (there) await this.read(there); else this.#show();
    });
  }

  async #begin() {
    const title = $("plan-title").value.trim(), shipped = $("plan-copy").value;
    const name = fileName(title || shipped.split("/").at(-1) || "My puzzles");
    const made = await one("new_plan", shipped ? { name, shipped } : { name, title: title || "My puzzles" });
    const saved = await one("save", { name, text: made.text, stamp: "" });
    if (saved.conflict) throw new Error(`There is a file ${name} already: choose another title.`);
    location.hash = `#curricula/${encodeURIComponent(name)}`;
  }

  // ---- the file

  /** Read a plan from its file. @param {string} name */
  async read(name) {
    const found = await one("plan", { name });
    if (this.plan?.name !== name) { this.before = []; this.tried.clear(); }
    keepPlan(name);
    this.#adopt(found, found.stamp);
  }

  /** Make a plan the present one. */
  #adopt(plan, stamp, entry = "") {
    const shape = (each) => JSON.stringify([each?.name, each?.chapters.map((chapter) => [chapter.name, chapter.parts.length])]);
    if (shape(this.plan) !== shape(plan)) this.parts.clear();
    this.plan = plan; this.stamp = stamp; this.waiting = null;
    $("plan-conflict").hidden = true;
    $("plan-text").value = plan.text;
    $("plan-trouble").textContent = plan.trouble;
    this.#show();
    if (!plan.trouble) this.#choose(entry);
  }

  /** Change the plan's text, and write it. @param {any} request as `arrange` takes it @param {string} entry the puzzle that keeps the focus */
  #change(request, entry = "") {
    const { attempt } = this.page;
    this.edits = this.edits.then(() => attempt(async () => {
      const { name, text } = this.waiting ?? this.plan;
      const made = await one("arrange", { name, text, ...request });
      if (made.trouble) { $("plan-trouble").textContent = made.trouble; return; }
      if (made.text !== text || $("plan-trouble").textContent) await this.#write(made, false, entry);
    }));
    return this.edits;
  }

  async #write(made, force, entry = "") {
    this.writing += 1;
    const saved = await one("save", { name: made.name, text: made.text, stamp: this.stamp, force }).finally(() => { this.writing -= 1; });
    if (saved.conflict) { this.waiting = made; return this.#conflict(saved.gone); }
    if (this.plan.text !== made.text) this.before.push(this.plan.text);
    this.#adopt(made, saved.stamp, entry);
    return undefined;
  }

  #conflict(gone) {
    const what = gone ? `The file ${this.plan.name} is gone.` : `The file ${this.plan.name} was changed outside of this page.`;
    $("plan-what").textContent = `${what} ${this.waiting ? "Your last change is not written." : "Nothing is overwritten."}`;
    $("plan-again").disabled = gone;
    $("plan-conflict").hidden = false;
  }

  /** Look whether the file is what was read. */
  async #look() {
    const still = () => this.plan && !this.writing && !$("curricula").hidden && !document.hidden && $("plan-conflict").hidden;
    if (!still()) return;
    const { name } = this.plan, own = this.stamp;
    const found = await one("stamp", { name }).catch(() => null);
    if (found && still() && this.plan.name === name && this.stamp === own && found.stamp !== own) this.#conflict(!found.stamp);
  }

  #undo() {
    const text = this.before.pop();
    if (text === undefined) return;
    this.#change({ text }).then(() => { if (this.plan.text === text) this.before.pop(); else this.before.push(text); this.#tools(); });
  }

  // ---- what it chooses

  async #choose(entry) {
    const { attempt } = this.page, { name, text, hash, chapters } = this.plan;
    const wanted = new Set(chapters.flatMap((chapter, i) => chapter.parts.map((_, j) => `${i}.${j}`)));
    for (const key of this.parts.keys()) if (!wanted.has(key)) this.parts.delete(key);
    await attempt(async () => {
      for await (const message of ask("choice", { name, text })) {
        if (this.plan.hash !== hash || message.stopped) return;
        if (!message.end) { this.parts.set(`${message.chapter}.${message.part}`, message); this.#strip(message.chapter, message.part); } else this.ready = message.ready;
      }
      this.#numbers();
      this.#curve();
      this.#news();
      if (entry) this.#focus(entry);
    });
    if (this.plan.hash === hash) await this.#learn(hash);
  }

  /** All chosen puzzles in order, each with its place. */
  puzzles() {
    return (this.plan?.chapters ?? []).flatMap((chapter, i) => chapter.parts.flatMap((_, j) => (this.parts.get(`${i}.${j}`)?.puzzles ?? []).map((puzzle, k) => ({ ...puzzle, i, j, k, measure: this.parts.get(`${i}.${j}`).measure }))));
  }

  /** Find out what is in the puzzles, a few at a time, so that pictures come in between. */
  async #learn(hash) {
    const left = this.puzzles().filter(({ puzzle }) => !this.known.has(puzzle));
    try {
      while (left.length && this.plan.hash === hash) {
        const some = left.splice(0, KNOWN_AT_ONCE).map(({ puzzle }) => puzzle);
        let told = 0;
        for await (const found of ask("novelties", { puzzles: some })) if (found.puzzle) { this.known.set(found.puzzle, found); told += 1; }
        if (!told) return;
        this.#news();
      }
    } catch { /* the page says that the server is gone as soon as something else is asked */ }
  }

  // ---- drawing

  #tools() {
    const open = Boolean(this.plan) && !this.plan.trouble;
    $("plan-open").hidden = !this.plan;
    $("plan-undo").disabled = !this.before.length;
    for (const id of ["plan-build", "plan-export", "plan-format", "plan-chapter"]) $(id).disabled = !open;
  }

  /** Draw the chapters; the puzzles in them stay until new ones are known. */
  #show() {
    const { el } = this.page;
    this.#tools();
    document.title = `${this.plan?.title ?? "Chapters"} – EPCG workbench`;
    if (!this.plan) return;
    this.pictures.clear();
    const focus = document.activeElement?.closest("#plan-chapters") ? document.activeElement.getAttribute("aria-label") : null;
    const { chapters } = this.plan, last = chapters.length - 1;
    $("plan-chapters").replaceChildren(...chapters.map((chapter, i) => {
      const set = (key, value) => this.#change({ changes: [[["chapters", i, key], value]] });
      const title = el("input", { value: chapter.title, "aria-label": `Title of chapter ${i + 1}`, onchange: () => set("title", title.value) });
      const about = el("input", { value: chapter.description, placeholder: "what players read below the title", "aria-label": `Description of chapter ${i + 1}`, onchange: () => set("description", about.value) });
      const warn = el("input", { type: "checkbox", checked: chapter.warn, onchange: () => set("warn", warn.checked) });
      const order = (a, b) => chapters.map((_, at) => (at === a ? b : at === b ? a : at));
      const move = (to, words) => el("button", { disabled: to < 0 || to > last, "aria-label": `${words} chapter ${i + 1}`, onclick: () => this.#change({ order: order(i, to) }) }, words);
      const drop = el("button", { disabled: !last, "aria-label": `Remove chapter ${i + 1}`, onclick: () => this.#change({ order: chapters.map((_, at) => at).filter((at) => at !== i) }) }, "Remove");
      const parts = chapter.parts.map((part, j) => el("div", { class: "part", "data-part": `${i}.${j}` }));
      return el("section", { class: "chapter", "data-chapter": i }, el("h2", {}, `${i + 1}. `, title), el("p", { class: "about" }, about), el("p", { class: "row" }, move(i - 1, "Up"), move(i + 1, "Down"), drop, el("label", {}, warn, " Play pages may warn when nothing can be won")), ...parts);
    }));
    chapters.forEach((chapter, i) => chapter.parts.forEach((_, j) => this.#strip(i, j)));
    this.#numbers();
    this.#curve();
    this.#news();
    if (focus) /** @type {any} */ (document.querySelector(`#plan-chapters [aria-label="${CSS.escape(focus)}"]`))?.focus();
  }

  /** Draw what a part chooses. @param {number} i @param {number} j */
  #strip(i, j) {
    const { el } = this.page, part = this.plan.chapters[i]?.parts[j], found = this.parts.get(`${i}.${j}`);
    const place = document.querySelector(`[data-part="${i}.${j}"]`);
    if (!place || !part) return;
    const parts = [];
    if (part.name && this.plan.chapters[i].parts.length > 1) parts.push(el("h3", {}, part.name));
    if (found?.missing) parts.push(el("p", {}, `${found.missing} Build makes it.`));
    else if (found?.trouble) parts.push(el("p", { class: found.trouble.startsWith("lists no puzzle") ? "muted" : "bad" }, found.trouble.startsWith("lists no puzzle") ? "No puzzle yet: drag one here, or put one in from the board or from an answer." : found.trouble));
    if (found?.puzzles || part.listed) parts.push(this.#rule(i, j, part, found));
    const strip = el("ol", { class: "strip", "aria-label": `Puzzles of chapter ${i + 1}` }, ...(found?.puzzles ?? []).map((puzzle, k) => this.#tile(puzzle, i, j, k)));
    parts.push(strip);
    if (found?.candidates > found?.puzzles?.length) parts.push(this.#rejected(i, j, found));
    place.replaceChildren(...parts);
  }

  #rule(i, j, part, found) {
    const { el, domains } = this.page;
    const words = [found ? `${found.rule}${found.candidates > found.puzzles?.length ? `, of ${found.candidates.toLocaleString("en")} candidates` : ""}. ` : ""];
    const domain = found?.puzzles?.[0]?.domain, info = domains().find((each) => each.domain === domain);
    if (part.listed && !part.sourced && info) {
      const names = [...new Set(info.evaluators.flatMap((evaluator) => evaluator.metrics.map((metric) => metric.metric)))];
      const choice = el("select", { onchange: () => this.#change({ changes: [[[...part.path, "measure"], choice.value]] }) }, ...names.map((name) => el("option", { value: name, selected: name === part.measure }, name.replaceAll("_", " "))));
      words.push(el("label", {}, "Measured by ", choice));
    } else if (part.measure) words.push(`Measured by ${part.measure.replaceAll("_", " ")}. `);
    if (part.listed && part.sourced) words.push(el("button", { onclick: () => this.#change({ changes: [[[...part.path, "puzzles"], null]] }) }, "Let the plan choose again"));
    return el("p", { class: "muted" }, ...words);
  }

  #tile(puzzle, i, j, k) {
    const { el } = this.page;
    const open = el("button", { class: "open", onclick: () => this.#open(puzzle) }, el("span", { class: "picture" }), el("b", { class: "number" }), ` ${puzzle.told}`);
    const grip = el("button", { class: "grip", title: "Drag, or use the arrow keys", onkeydown: (event) => this.#key(event, i, j, k) }, gripPicture());
    const tile = el("li", { "data-entry": puzzle.entry, title: puzzle.reason, onpointerdown: (event) => this.#drag(event, tile, i, j, k) }, open, el("div", { class: "new" }), el("div", { class: "tools" }, grip, el("button", { class: "replace", onclick: () => this.#replace(i, j, k) }, "Replace"), el("button", { class: "remove", onclick: () => this.#remove(i, j, k) }, "Remove")));
    this.pictures.show(tile, puzzle.puzzle);
    return tile;
  }

  /** Number the puzzles through all chapters, as the booklet does. */
  #numbers() {
    let number = 0;
    for (const tile of document.querySelectorAll("#plan-chapters .strip > li")) {
      number += 1;
      const own = /** @type {any} */ (tile);
      own.querySelector(".number").textContent = String(number);
      own.querySelector(".grip").setAttribute("aria-label", `Move puzzle ${number}: arrow keys, or drag`);
      own.querySelector(".replace").setAttribute("aria-label", `Replace puzzle ${number} by the next best`);
      own.querySelector(".remove").setAttribute("aria-label", `Remove puzzle ${number}`);
    }
  }

  #rejected(i, j, found) {
    const { el } = this.page;
    const count = found.rejections.reduce((sum, [, each]) => sum + each, 0);
    const list = el("details", { class: "rejected" }, el("summary", {}, `${count.toLocaleString("en")} rejected, and why`));
    list.addEventListener("toggle", () => {
      if (!list.open || list.children.length > 1) return;
      const tiles = found.rejected.map((puzzle) => {
        const tile = el("li", {}, el("button", { class: "open", onclick: () => this.#open(puzzle) }, el("span", { class: "picture" }), puzzle.told || "no value"), el("small", {}, puzzle.reason), typeof puzzle.value === "number" ? el("div", { class: "tools" }, el("button", { onclick: () => this.#lists([[i, j, [...this.#entries(i, j), puzzle.puzzle]]], puzzle.puzzle) }, "Take it")) : "");
        this.pictures.show(tile, puzzle.puzzle);
        return tile;
      });
      const rows = found.rejections.map(([rule, each]) => el("tr", {}, el("td", {}, rule), el("td", { class: "value" }, each.toLocaleString("en"))));
      list.append(el("table", {}, el("tbody", {}, ...rows)), el("p", { class: "muted" }, tiles.length < count ? `${tiles.length} of those that passed the most rules:` : "All of them:"), el("ul", { class: "strip", tabindex: "0", "aria-label": "Rejected puzzles" }, ...tiles));
    });
    return list;
  }

  /** The measure of all puzzles, in order. */
  #curve() {
    const all = this.puzzles().filter(({ value }) => typeof value === "number");
    $("plan-curve-part").hidden = all.length < 2;
    if (all.length < 2) return $("plan-curve").replaceChildren();
    const numbers = new Map(this.puzzles().map(({ entry }, at) => [entry, at]));
    const many = this.puzzles().length, step = (WIDE - 2 * SIDE) / many;
    const x = (entry) => SIDE + (numbers.get(entry) + 0.5) * step;
    const measures = [...new Set(all.map(({ measure }) => measure))];
    const parts = [], legend = [];
    this.plan.chapters.forEach((chapter, i) => {
      const own = this.puzzles().filter((each) => each.i === i);
      if (!own.length) return;
      const left = x(own[0].entry) - step / 2, wide = own.length * step;
      parts.push(svg("rect", { x: left, y: 0, width: wide, height: HIGH - FOOT + 4, class: i % 2 ? "band odd" : "band" }));
      const text = svg("text", { x: left + wide / 2, y: HIGH - 8, "text-anchor": "middle" });
      const room = Math.floor(wide / 8), title = chapter.title;
      text.textContent = room < 2 ? "" : title.length > room ? `${title.slice(0, room - 1)}…` : title;
      parts.push(text);
    });
    measures.forEach((measure, at) => {
      const own = all.filter((each) => each.measure === measure);
      const low = own.reduce((a, { value }) => Math.min(a, value), Infinity), high = own.reduce((a, { value }) => Math.max(a, value), -Infinity);
      const y = (value) => 12 + (HIGH - FOOT - 20) * (1 - (value - low) / (high - low || 1));
      parts.push(svg("polyline", { points: own.map(({ entry, value }) => `${x(entry)},${y(value)}`).join(" "), class: `line colour${at % COLOURS}` }));
      for (const each of own) {
        const dot = svg("circle", { cx: x(each.entry), cy: y(each.value), r: 5, class: `colour${at % COLOURS}` });
        const title = svg("title"); title.textContent = `${numbers.get(each.entry) + 1}: ${each.told}`;
        dot.append(title);
        dot.addEventListener("click", () => this.#focus(each.entry));
        parts.push(dot);
      }
      legend.push(this.page.el("span", { class: `key colour${at % COLOURS}` }, `${measure.replaceAll("_", " ")} ${this.page.shown(low)}${low === high ? "" : ` to ${this.page.shown(high)}`}`));
    });
    $("plan-legend").replaceChildren(...legend);
    return $("plan-curve").replaceChildren(svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${measures.join(", ").replaceAll("_", " ")} of ${many} puzzles in order` }, ...parts));
  }

  /** Say for each puzzle what no earlier one has. */
  #news() {
    const { el } = this.page, seen = new Set();
    let most = 0;
    const tiles = [...document.querySelectorAll("#plan-chapters ol.strip > li")];
    this.puzzles().forEach(({ puzzle }, at) => {
      const found = this.known.get(puzzle), place = tiles[at]?.querySelector(".new");
      if (!found || !place) return;
      const fresh = (kind, names) => names.filter((name) => !seen.has(`${kind} ${name}`) && seen.add(`${kind} ${name}`));
      const marks = fresh("mark", found.marks), rules = fresh("rule", found.rules);
      const moves = found.moves === null ? "" : `${found.moves} ${found.moves === 1 ? "move" : "moves"}${found.moves > most ? ", the most so far" : ""}`;
      most = Math.max(most, found.moves ?? 0);
      const parts = moves ? [el("p", {}, moves)] : [];
      if (marks.length) parts.push(el("p", {}, el("b", {}, "New: "), marks.join(", ")));
      if (rules.length) parts.push(el("details", {}, el("summary", {}, rules.length === 1 ? "A new rule" : `${rules.length} new rules`), el("ul", {}, ...rules.map((rule) => el("li", {}, rule)))));
      const key = JSON.stringify([moves, marks, rules]);
      if (/** @type {any} */ (place).dataset.key !== key) { /** @type {any} */ (place).dataset.key = key; place.replaceChildren(...parts); }
    });
  }

  #focus(entry) {
    const tile = [...document.querySelectorAll("#plan-chapters ol.strip > li")].find((each) => /** @type {any} */ (each).dataset.entry === entry);
    /** @type {any} */ (tile?.querySelector(".grip"))?.focus();
    tile?.scrollIntoView({ block: "nearest" });
  }

  #open(puzzle) {
    if (!puzzle.editor) return this.page.trouble(new Error(`${puzzle.domain} has no editor: epcg render "${puzzle.puzzle}" draws it.`));
    return this.page.adoptPuzzle(puzzle.puzzle);
  }

  // ---- changes

  /** The puzzles of a part, as a plan names them. */
  #entries(i, j) { return (this.parts.get(`${i}.${j}`)?.puzzles ?? []).map(({ entry }) => entry); }

  /** Give parts lists by hand. @param {[number, number, string[]][]} lists @param {string} entry @param {any[]} changes */
  #lists(lists, entry, changes = []) {
    const path = (i, j) => this.plan.chapters[i].parts[j].path;
    return this.#change({ changes, lists: lists.map(([i, j, entries]) => [path(i, j), entries]) }, entry);
  }

  /** Move a puzzle. @param {number[]} from [i, j, k] @param {number[]} to [i, j, k], k counted before it is taken out */
  #move([i, j, k], [toI, toJ, toK]) {
    const own = this.#entries(i, j), entry = own[k];
    if (entry === undefined) return undefined;
    if (i === toI && j === toJ) {
      if (toK === k || toK === k + 1) return undefined;
      const rest = own.filter((_, at) => at !== k);
      rest.splice(toK > k ? toK - 1 : toK, 0, entry);
      this.#say(`Moved within chapter ${i + 1}.`);
      return this.#lists([[i, j, rest]], entry);
    }
    const other = this.#entries(toI, toJ), part = this.plan.chapters[toI].parts[toJ];
    const measure = other.length || part.measure ? [] : [[[...part.path, "measure"], this.plan.chapters[i].parts[j].measure]];
    other.splice(toK, 0, entry);
    this.#say(`Moved to chapter ${toI + 1}.`);
    return this.#lists([[i, j, own.filter((_, at) => at !== k)], [toI, toJ, other]], entry, measure);
  }

  #say(sentence) { $("plan-said").textContent = sentence; }

  #key(event, i, j, k) {
    const places = this.plan.chapters.flatMap((chapter, at) => chapter.parts.map((_, part) => [at, part]));
    const here = places.findIndex(([a, b]) => a === i && b === j), many = this.#entries(i, j).length;
    const ways = {
      ArrowLeft: () => k > 0 && this.#move([i, j, k], [i, j, k - 1]), ArrowRight: () => k < many - 1 && this.#move([i, j, k], [i, j, k + 2]),
      ArrowUp: () => here > 0 && this.#move([i, j, k], [...places[here - 1], this.#entries(...places[here - 1]).length]),
      ArrowDown: () => here < places.length - 1 && this.#move([i, j, k], [...places[here + 1], 0]), Delete: () => this.#remove(i, j, k),
    };
    if (!(event.key in ways)) return;
    event.preventDefault();
    ways[event.key]();
  }

  #remove(i, j, k) {
    const own = this.#entries(i, j), next = own[k + 1] ?? own[k - 1] ?? "";
    this.#say("Removed.");
    return this.#lists([[i, j, own.filter((_, at) => at !== k)]], next);
  }

  #replace(i, j, k) {
    const { attempt } = this.page, { name, text } = this.plan, found = this.parts.get(`${i}.${j}`), own = found.puzzles[k];
    const key = `${i}.${j}.${k}`, tried = this.tried.get(key) ?? new Set();
    this.tried.set(key, tried.add(own.puzzle));
    return attempt(async () => {
      const other = await one("next_best", { name, text, chapter: i + 1, part: j + 1, value: own.value, without: [...tried] });
      const entries = this.#entries(i, j);
      entries[k] = other.puzzle;
      this.#say(`Replaced: ${own.told} by ${other.told}.`);
      await this.#lists([[i, j, entries]], other.puzzle);
    });
  }

  #newChapter() {
    const { chapters } = this.plan, names = new Set(chapters.map((chapter) => chapter.name));
    let number = chapters.length + 1;
    while (names.has(`chapter-${number}`)) number += 1;
    return this.#change({ changes: [[["chapters", chapters.length], { name: `chapter-${number}`, title: `Chapter ${chapters.length + 1}`, measure: "" }]], lists: [[["chapters", chapters.length], []]] });
  }

  // ---- dragging: by the grip with any pointer, by the whole tile with a mouse

  #drag(event, tile, i, j, k) {
    const grip = event.target.closest(".grip");
    if (event.button || (!grip && (event.pointerType !== "mouse" || event.target.closest(".tools, .new")))) return;
    const start = [event.clientX, event.clientY];
    let ghost = null, goal = null, scrolling = 0, at = start;
    const aim = () => {
      for (const each of document.querySelectorAll(".before, .behind")) each.classList.remove("before", "behind");
      goal = this.#goal(...at);
      goal?.mark?.classList.add(goal.behind ? "behind" : "before");
    };
    const move = (next) => {
      at = [next.clientX, next.clientY];
      if (!ghost) {
        if (Math.hypot(at[0] - start[0], at[1] - start[1]) < FAR) return;
        ghost = tile.querySelector(".picture").cloneNode(true);
        ghost.classList.add("ghost");
        document.body.append(ghost);
        tile.classList.add("dragged");
        scrolling = setInterval(() => { const down = at[1] > innerHeight - EDGE ? 1 : at[1] < EDGE ? -1 : 0; if (down) { scrollBy(0, 14 * down); aim(); } }, 30);
      }
      next.preventDefault();
      ghost.style.left = `${at[0]}px`; ghost.style.top = `${at[1]}px`;
      aim();
    };
    const end = (cancel) => (last) => {
      for (const [name, what] of listeners) removeEventListener(name, what, true);
      clearInterval(scrolling);
      for (const each of document.querySelectorAll(".before, .behind")) each.classList.remove("before", "behind");
      tile.classList.remove("dragged");
      if (!ghost) return;
      ghost.remove();
      const click = (late) => { late.stopPropagation(); late.preventDefault(); };
      addEventListener("click", click, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", click, true), 50);
      last.preventDefault();
      if (!cancel && goal) this.#move([i, j, k], [goal.i, goal.j, goal.k]);
    };
    const listeners = /** @type {[string, any][]} */ ([["pointermove", move], ["pointerup", end(false)], ["pointercancel", end(true)], ["keydown", (key) => key.key === "Escape" && end(true)(key)]]);
    for (const [name, what] of listeners) addEventListener(name, what, { capture: true, passive: false });
  }

  /** Where a puzzle would go that is dropped at a point of the window. */
  #goal(x, y) {
    const under = document.elementFromPoint(x, y), place = /** @type {any} */ (under?.closest(".part") ?? under?.closest(".chapter")?.querySelector(".part"));
    if (!place) return null;
    const [i, j] = place.dataset.part.split(".").map(Number);
    const tiles = [...place.querySelectorAll("ol.strip > li")];
    for (const [k, each] of tiles.entries()) {
      const box = each.getBoundingClientRect();
      if (y < box.top || (y <= box.bottom && x < box.left + box.width / 2)) return { i, j, k, mark: each, behind: false };
    }
    return { i, j, k: tiles.length, mark: tiles.at(-1) ?? place, behind: true };
  }

  // ---- building and exporting

  async #build() {
    await this.edits;
    const ended = await this.page.record({ job: "build", name: this.plan.name }, $("plan-progress"));
    if (ended?.state === "finished" && !this.ready) await this.#choose("");
    return ended;
  }

  async #export() {
    const ended = await this.#build();
    if (ended?.state === "finished") await this.page.record({ job: "export", name: this.plan.name, format: $("plan-format").value }, $("plan-progress"));
  }
}

/** Six dots, by which a tile is taken. */
function gripPicture() {
  const dots = [[4, 3], [10, 3], [4, 8], [10, 8], [4, 13], [10, 13]].map(([cx, cy]) => svg("circle", { cx, cy, r: 1.5 }));
  return svg("svg", { viewBox: "0 0 14 16", "aria-hidden": "true" }, ...dots);
}
