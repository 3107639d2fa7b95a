// The workshop of a game that is drawn: its board and its pieces in the strip, in the work area, and in the dock.
// @ts-check
import { isLost, one } from "./api.js";
import { $, all, attempt, el, seek, sentence, trouble, within } from "./base.js";
import { icon } from "./drawing.js";
import { MirrorButton } from "./mirror.js";
import { setMode } from "./tabs.js";
import { counted } from "./words.js";
import { WorkshopAnswer } from "./workshop_answer.js";
import { CanvasView, small } from "./workshop_canvas.js";
import { field, put, radios, rangeOf } from "./workshop_settings.js";

const READ_AFTER = 80;
const TOOLS = [
  ["pencil", "Paint", "M3 13l1-3 7-7 2 2-7 7-3 1z"],
  ["fill", "Fill what is enclosed", "M3 9l5-5 5 5-5 4-5-4zM8 4L6 2M14 11v2"],
];

/** A change of the game: how, of which canvas, and with what. @typedef {{how: string, label: string, canvas?: string,
 *   points?: Point[], mark?: string, key?: string, value?: Setting["value"], puzzles?: string[]}} Act */

export class Workshop {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.isOpen = false;
    /** @type {Drawn | null} What is told of the game, and of which text. */ this.found = null;
    this.text = ""; this.of = "";
    /** The canvas that is chosen in the strip, and the one in the dock. */ this.chosen = ""; this.docked = "";
    /** @type {Act[]} Changes that are not in the text yet. */ this.queue = [];
    /** @type {Promise<void> | null} */ this.working = null;
    this.reads = 0; this.timer = 0; this.word = ""; this.trouble = ""; this.seenAt = "";
    /** @type {import("./workshop_canvas.js").Painted} */
    const painted = (canvas, points, mark) => this.#painted(canvas, points, mark);
    this.mirror = new MirrorButton("shop-mirror", (words) => this.#said(words, true));
    this.large = new CanvasView($("shop-board"), painted, this.#said, this.mirror);
    this.docks = new CanvasView($("shop-piece"), painted, this.#said, this.mirror);
    this.answer = new WorkshopAnswer(state);
    $("shop-add").onclick = () => this.#change({ how: "add", label: `${this.word} added` });
    $("shop-board").addEventListener("board-letter", ({ detail }) => this.#letter(detail.key));
    $("shop-piece").addEventListener("board-letter", ({ detail }) => this.mirror.key(detail.key));
    $("shop-tools").append(...this.#tools());
    $("shop-tools").after(this.mirror.part);
  }

  /** Follow the text of the project: its canvases, a moment later, if it is another one. */
  follow() {
    const { workshop, text, file } = this.state.panels.project;
    $("shop-part").hidden = !workshop;
    document.body.classList.toggle("has-workshop", Boolean(workshop));
    if (!workshop) { this.close(); this.found = null; this.text = ""; return; }
    const fresh = { of: file, found: null, text: "", trouble: "", queue: [], chosen: "", docked: "" };
    if (file !== this.of) { Object.assign(this, fresh); this.answer.fresh(); }
    this.#show();
    if (text === this.text && this.found) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => attempt(() => this.#read()), this.found ? READ_AFTER : 0);
  }

  /** Read what the text draws. One that cannot be drawn leaves what was drawn before. */
  async #read() {
    const { project } = this.state.panels, { domain, format, text, file } = project, read = ++this.reads;
    if (text === this.text && this.found) return;
    try {
      const found = await one("workshop", { domain, format, text });
      if (read === this.reads && file === this.of && text === project.text) this.#take(found, text, "");
    } catch (error) {
      if (isLost(error)) throw error;
      this.trouble = sentence(error);
      this.#show();
    }
  }

  /** @param {Drawn} found @param {string} text @param {string} trouble */
  #take(found, text, trouble) {
    Object.assign(this, { found, text, trouble });
    this.reads += 1;
    this.word = found.canvases.find(({ kind }) => kind !== found.canvases[0].kind)?.kind ?? (this.word || "piece");
    this.#show();
  }

  /** Show a canvas. @param {string} id its name; another one if there is none of this name */
  async open(id) {
    if (!this.state.panels.project.workshop) return;
    if (!this.found) await this.#read();
    if (this.state.opened && this.state.mode !== "edit") setMode(this.state, "edit");
    this.isOpen = true;
    $("bench").classList.add("crafting");
    this.chosen = id;
    this.#show();
    this.state.panels.past.show();
  }

  /** Where one is, for the address of the page; '' if no canvas is shown. */
  get place() { return this.isOpen ? encodeURIComponent(this.chosen) : ""; }

  /** Leave the canvases for a puzzle; whether one was shown. */
  close() {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.chosen = "";
    $("bench").classList.remove("crafting");
    this.#show();
    this.state.panels.past.show();
    return true;
  }

  // ---- changes

  /** Take candidates of an answer into the game, and show the last of them. @param {string[]} puzzles */
  async take(puzzles) {
    await this.state.panels.project.isPut();
    const what = { how: "take", puzzles, label: `${counted(puzzles.length, this.word)} of an answer taken` };
    await this.#change(what);
    const last = this.found?.canvases.at(-1);
    if (last) location.hash = `#file/${encodeURIComponent(this.of)}/${encodeURIComponent(last.id)}`;
  }

  /** @param {string} canvas @param {Point[]} points @param {string} mark '' for none */
  #painted(canvas, points, mark) {
    const { marks = [], title = "" } = this.#canvas(canvas) ?? {};
    const words = marks.find(({ name }) => name === mark)?.title ?? "erased";
    const what = `${counted(points.length, "place")} of ${title} ${mark ? "painted" : "erased"}`;
    const label = mark && marks.length > 1 ? `${title}: ${words} (${points.length})` : what;
    this.#change({ how: "paint", canvas, points, mark, label });
  }

  /** @param {string} canvas @param {Setting} setting @param {Setting["value"]} value */
  #set(canvas, { key, title }, value) {
    return this.#change({ how: "set", canvas, key, value, label: `${title} set` });
  }

  /** Show a change at once, and have it written after those before it. @param {Act} what */
  #change(what) {
    this.queue.push(what);
    this.#show();
    this.working ??= this.#work().finally(() => { this.working = null; this.#show(); });
    return this.working;
  }

  async #work() {
    while (this.queue.length) {
      const [what] = this.queue;
      let waits = false;
      await attempt(() => this.#do(what).catch((error) => { waits = isLost(error); throw error; }));
      if (waits) return; // it goes on when the server answers again
      if (this.queue[0] === what) this.queue.shift();
    }
  }

  /** Do what waits, now that the server answers again. */
  async goOn() {
    if (this.queue.length) await (this.working ??= this.#work().finally(() => { this.working = null; this.#show(); }));
  }

  /** @param {Act} what */
  async #do({ points, label, ...what }) {
    const { project } = this.state.panels;
    await project.isPut();
    if (project.text !== this.text) await this.#read();
    if (this.trouble || !this.found) throw new Error(`The text has a fault, so nothing is painted: ${this.trouble}`);
    const { domain, format, text } = project, view = what.canvas === this.large.canvas?.id ? this.large : this.docks;
    const sites = points && view.sitesAt(points);
    if (sites && !sites.length) return;
    const found = await one("workshop_change", { domain, format, text, ...what, ...(sites ? { sites } : {}) });
    if (text !== project.text) throw new Error("The text was changed meanwhile: do it again.");
    this.queue.shift();
    const last = found.canvases.at(-1);
    this.#take(found, found.text, "");
    project.take(found, label);
    if (what.how === "add" && last) await project.craft(last.id);
  }

  // ---- what is shown

  /** @param {string} id */
  #canvas(id) { return this.found?.canvases.find((each) => each.id === id); }

  #show() {
    if (!this.found) return;
    const { canvases, settings } = this.found, first = canvases[0];
    const pieces = canvases.filter(({ kind }) => kind !== first.kind);
    if (this.isOpen && !this.#canvas(this.chosen)) this.chosen = pieces.at(-1)?.id ?? first.id;
    if (this.chosen && this.chosen !== first.id) this.docked = this.chosen;
    if (!this.#canvas(this.docked) || this.docked === first.id) this.docked = pieces[0]?.id ?? "";
    this.#strip();
    if (!this.isOpen) return;
    const docked = this.#canvas(this.docked), isSmall = this.chosen !== first.id;
    $("shop").dataset.part = isSmall ? "piece" : "board";
    $("shop-older").hidden = !this.trouble;
    $("shop-older").textContent = this.trouble ? `This is the game as it was before: ${this.trouble}` : "";
    /** @param {string} id */
    const pending = (id) => this.queue.flatMap(({ canvas, points, mark = "" }) => (
      points && canvas === id ? [{ points, mark }] : []));
    this.large.show(first, pending(first.id), this.of);
    $("shop-board").setAttribute("aria-label", `${first.title}, ${first.subtitle}`);
    $("shop-count").textContent = first.subtitle;
    put($("shop-settings"), settings.map((each) => field(each, (value) => this.#set("", each, value))));
    this.#marks(first);
    $("shop-dock").hidden = !docked;
    if (docked) this.#dock(docked, pending(docked.id));
    this.answer.follow();
  }

  /** @param {Canvas} canvas @param {{points: Point[], mark: string}[]} pending */
  #dock(canvas, pending) {
    this.docks.show(canvas, pending, this.of);
    $("shop-piece").setAttribute("aria-label", `${canvas.title}, ${canvas.subtitle}`);
    const label = (/** @type {string} */ how) => `${canvas.title} ${how}`;
    /** @param {string} words @param {string} how @param {string} done */
    const act = (words, how, done) => {
      const change = () => this.#change({ how, canvas: canvas.id, label: label(done) });
      return el("button", { "data-key": how, onclick: change }, words);
    };
    const fields = canvas.settings.map((each) => field(each, (value) => this.#set(canvas.id, each, value)));
    const acts = [act("Duplicate", "add", "duplicated"), act("Remove", "remove", "removed")];
    put($("shop-fields"), [...fields, el("span", { class: "acts" }, ...acts)]);
    $("shop-note").textContent = canvas.note;
  }

  #strip() {
    const row = (/** @type {Canvas} */ canvas) => {
      const isCurrent = this.isOpen && canvas.id === this.chosen;
      const about = { class: "piece", "data-key": canvas.id, "aria-current": isCurrent && "true" };
      const choose = () => attempt(() => this.state.panels.project.craft(canvas.id));
      const open = el("button", { ...about, onclick: choose },
        el("span", { class: "small" }, small(canvas)),
        el("span", { class: "names" }, el("b", {}, canvas.title), el("small", {}, canvas.subtitle)));
      open.onkeydown = (event) => this.#key(event, canvas);
      const many = canvas.settings.find(({ kind }) => kind === "range");
      return el("li", { class: "part" }, open, ...(many ? [this.#copies(canvas, many)] : []));
    };
    put($("shop-list"), (this.found?.canvases ?? []).map(row));
    $("shop-add").textContent = `+ ${this.word}`;
    $("shop-add").hidden = this.found?.is_whole ?? false;
    const current = this.chosen === this.seenAt ? null : seek($("shop-list"), "[aria-current]");
    if (current) current.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.seenAt = this.chosen;
  }

  /** How many there are of a piece: "1", or "0–2". @param {Canvas} canvas @param {Setting} setting */
  #copies(canvas, setting) {
    const [least, most] = rangeOf(setting), value = least === most ? String(least) : `${least}–${most}`;
    const name = `${setting.title} of ${canvas.title}`, title = `${setting.title}: 1, or from 0 to 2 as 0–2`;
    const about = { class: "copies", value, "data-key": `${canvas.id}: ${setting.key}`, "aria-label": name, title };
    const own = el("input", about);
    own.onchange = () => {
      const ends = own.value.match(/\d+/g)?.map(Number);
      if (ends && ends.length <= 2) return this.#set(canvas.id, setting, [ends[0], ends[ends.length - 1]]);
      own.value = value;
      return trouble(new Error(`${setting.title}: write a number, as 1, or two, as 0–2.`));
    };
    return own;
  }

  /** @param {KeyboardEvent} event @param {Canvas} canvas */
  #key(event, canvas) {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    const rows = all($("shop-list"), ".piece"), at = rows.findIndex((each) => each === event.currentTarget);
    if (step) rows[at + step]?.focus();
    else if (event.key === "Delete" && canvas.kind !== this.found?.canvases[0].kind) {
      this.#change({ how: "remove", canvas: canvas.id, label: `${canvas.title} removed` });
    }
    if (step || event.key === "Delete") event.preventDefault();
  }

  // ---- tools

  #tools() {
    const made = TOOLS.map(([name, words, d]) => {
      const about = { role: "radio", "aria-checked": String(name === "pencil"), "aria-label": words, title: words };
      return el("button", { ...about, "data-brush": name, onclick: () => this.#use(name) }, icon(d));
    });
    radios($("shop-tools"), made);
    return made;
  }

  /** @param {string} name */
  #use(name) {
    this.large.tool = this.docks.tool = name;
    for (const button of within($("shop-tools"))) {
      button.setAttribute("aria-checked", String(button.dataset.brush === name));
      button.tabIndex = button.dataset.brush === name ? 0 : -1;
    }
  }

  /** What can be painted on the board, if there is a choice. @param {Canvas} canvas */
  #marks({ marks }) {
    $("shop-marks").hidden = marks.length < 2;
    const made = marks.map(({ name, title, colour, key }) => {
      const about = { role: "radio", "aria-checked": String(name === this.large.mark), "aria-label": title };
      const shown = { class: "colour", "data-key": name, title: key ? `${title} (${key})` : title };
      const button = el("button", { ...about, ...shown, onclick: () => this.#choose(name) });
      button.style.background = colour ?? "";
      return button;
    });
    put($("shop-marks"), made);
    radios($("shop-marks"), made);
  }

  /** @param {string} name */
  #choose(name) { this.large.mark = name; this.#show(); }

  /** @param {string} key */
  #letter(key) {
    const marks = this.large.canvas?.marks ?? [];
    const own = marks.find((mark) => mark.key === key) ?? marks[Number(key) - 1];
    if (own) this.#choose(own.name); else this.mirror.key(key);
  }

  /** Say what is below the pointer, and to those who hear the page, what is below the cursor.
   * @param {string} words @param {boolean} isCursor */
  #said(words, isCursor) {
    $("under").textContent = words;
    if (isCursor) $("shop-said").textContent = words;
  }
}
