// The page that asks: questions in the strip, one of them as a sentence and as TOML, and its answer.
// @ts-check
import { ask, one } from "./api.js";
import { AnswerView } from "./ask_answer.js";
import { beginnings, belonging, worked } from "./ask_begin.js";
import { QuestionForm } from "./ask_form.js";
import { strip } from "./ask_strip.js";
import { $, all, attempt, copied, el, sentence } from "./base.js";
import { fileName } from "./into.js";
import { record } from "./running.js";
import { WishForm } from "./wish.js";
import { price } from "./words.js";

const SAMPLE = 1000, WAIT = 400, AFTER = 1500, MOST_KEPT = 1000, LAST = "epcg:question";

export class AskPage {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {DomainParts[]} */ this.domains = [];
    /** @type {CommonParts | null} */ this.common = null;
    /** @type {Question | null} the question as it was last read */ this.found = null;
    /** The button that says what the question is about. */ this.about = el("button");
    /** The file of the question; "" of one that is not saved. */ this.file = "";
    this.isUnwritten = false;
    this.stamp = "";
    this.text = "";
    this.asked = 0;
    /** @type {string[]} what measures only because the sentence named it */ this.lent = [];
    /** A question to begin with, which has no file. */ this.drafted = "";
    /** Whether that is asked at once. */ this.begins = false;
    /** @type {Map<string, string>} texts with a fault, by their files: they wait until these are opened again */
    this.unread = new Map();
    /** @type {Promise<void>} */ this.writing = Promise.resolve();
    this.form = new QuestionForm((path, value) => this.change(path, value));
    this.answer = new AnswerView(state, () => this.text);
    this.wish = new WishForm($("ask-wish"), "ask-", () => this.#wished(), {
      most: MOST_KEPT,
      numbers: true,
      rows: (parts) => this.#opening(parts),
    });
    $("ask-text").oninput = () => this.#later(() => this.#read({ text: $("ask-text").value }, { typed: true }));
    $("ask-begin").onchange = () => $("ask-begin").value && this.#begin($("ask-begin").value);
    $("ask-new").onclick = () => {
      $("ask-begin-part").hidden = !$("ask-begin-part").hidden;
      $("ask-begin").focus();
    };
    $("ask-save").onclick = () => attempt(() => this.#save());
    $("ask-copy").onclick = () => copied($("ask-text").value, "Query");
    $("ask-run").onclick = () => this.#run({});
    $("ask-sample").textContent = `Try ${SAMPLE.toLocaleString("en")} by chance`;
    $("ask-sample").onclick = () => this.#run({ sample: SAMPLE });
    $("ask-resume").onclick = () => this.#run({ resume: this.answer.found?.run });
    $("ask-toml-button").onclick = () => this.#turn($("ask-toml"), $("ask-toml-button"));
    $("ask-again").onclick = () => attempt(() => this.#open(this.file));
    $("ask-force").onclick = () => attempt(() => this.#write(true));
  }

  /** Open the page, with a question of the project or the one that was open last. @param {string} [wanted] its file */
  async open(wanted = "") {
    await attempt(async () => {
      if (!this.common) {
        this.domains = [];
        for await (const part of ask("parts")) if ("domain" in part) this.domains.push(part); else this.common = part;
      }
      const { shipped = [], own = [] } = this.common ?? {};
      beginnings(this.domains, shipped, await belonging(this.state, own));
      const { names, kept } = await this.#list();
      if (names.includes(wanted) && wanted !== this.file) return this.#open(wanted);
      const { drafted } = this;
      this.drafted = "";
      if (drafted) return this.#read({ text: drafted });
      if (this.text) return;
      const last = localStorage.getItem(LAST) ?? "";
      if (names.length) await this.#open(names.includes(last) ? last : names[0]);
      else if (kept.length) await this.#ofRun(kept[0].run);
      else await this.#draft();
    });
    if (this.text) await this.#answers();
    const { begins } = this, run = $("ask-run");
    this.begins = false;
    if (begins && this.text && !run.disabled && !run.hidden) await this.#run({});
  }

  // ---- the strip

  /** List the questions of the folder and the answers that no question there asks for. */
  async #list() {
    /** @type {QuestionFile[]} */ const files = [];
    /** @type {KeptAnswer[]} */ const kept = [];
    for await (const each of ask("questions"))
      if ("file" in each) files.push(each);
      else if ("run" in each) kept.push(each);
    const open = (/** @type {string} */ name) => attempt(() => this.#open(name));
    const ofRun = (/** @type {number} */ run) => attempt(() => this.#ofRun(run));
    const draft = this.text && !this.file ? this.found?.title || "A new question" : "";
    strip(files, kept, { file: this.file, draft }, open, ofRun);
    return { names: files.map((each) => each.file), kept };
  }

  /** @param {string} name */
  async #open(name) {
    const found = await one("question_file", { name });
    this.#leave();
    this.file = name;
    this.stamp = found.stamp;
    localStorage.setItem(LAST, name);
    const typed = this.unread.get(name);
    await this.#read({ text: found.text });
    if (typed !== undefined) {
      $("ask-text").value = typed;
      if ($("ask-toml").hidden) this.#turn($("ask-toml"), $("ask-toml-button"));
      await this.#read({ text: typed }, { typed: true });
    }
    await this.#list();
  }

  /** @param {number} run */
  async #ofRun(run) {
    const { text } = await one("of_run", { run });
    this.#leave();
    await this.#read({ text });
    await this.#list();
  }

  /** Begin with a question about what one works on. */
  async #draft() {
    const own = await worked(this.state).catch(() => null),
      known = this.domains.find((each) => each.domain === own?.domain) ?? this.domains[0];
    if (known) await this.#begin(known.domain);
  }

  /** Begin a question. @param {string} what a domain, or the name of a shipped question */
  async #begin(what) {
    $("ask-begin-part").hidden = true;
    $("ask-begin").value = "";
    this.#leave();
    const own = await worked(this.state).catch(() => null),
      content = own?.domain === what && own.content ? { content: own.content } : {};
    await this.#read(what.includes("/") ? { shipped: what } : { domain: what, ...content });
    await this.#list();
  }

  /** Have the page open with a question that is not saved yet. @param {string} text @param {boolean} [begins] */
  draft(text, begins = false) {
    this.#leave();
    Object.assign(this, { drafted: text, begins });
  }

  /** Leave a question: what belongs to it goes. */
  #leave() {
    if (this.file && this.text && $("ask-run").disabled) this.unread.set(this.file, $("ask-text").value);
    this.#faulty(false);
    this.file = "";
    this.stamp = "";
    this.text = "";
    this.lent = [];
    $("ask-conflict").hidden = true;
    $("ask-progress").textContent = "";
    this.answer.leave();
  }

  // ---- the question

  /** @param {() => unknown} what */
  #later(what) {
    const own = (this.asked += 1);
    setTimeout(() => own === this.asked && what(), WAIT);
  }

  /**
   * Read or change the question; the text is not written over if it was typed, nor the sentence if it was changed.
   * @param {object} request @param {{typed?: boolean, wished?: boolean}} [from]
   */
  async #read(request, { typed = false, wished = false } = {}) {
    const own = (this.asked += 1);
    try {
      const found = await one("question", request);
      if (own !== this.asked) return;
      const changed = found.text !== this.text;
      this.#faulty(false);
      this.unread.delete(this.file);
      this.text = found.text;
      this.found = found;
      if (wished) this.lent = found.lent;
      if (!typed) $("ask-text").value = found.text;
      $("ask-trouble").textContent = "";
      if (!wished) this.#sentence();
      if (this.common) this.form.show(found, this.domains, this.common);
      if (changed && this.file) attempt(() => this.#write());
      await this.#answers();
    } catch (error) {
      if (own !== this.asked) return;
      $("ask-trouble").textContent = sentence(error);
      $("ask-cost").textContent = "";
      this.#faulty(typed || !this.text);
    }
  }

  /** Ask and save nothing while there is no question, or the typed text has a fault. @param {boolean} on */
  #faulty(on) {
    for (const id of /** @type {const} */ (["ask-run", "ask-sample", "ask-resume", "ask-save"])) $(id).disabled = on;
  }

  /** Read the text as it stands, also what was typed a moment ago; whether it has no fault. */
  async #current() {
    const { value } = $("ask-text");
    if (value !== this.text) await this.#read({ text: value }, { typed: true });
    return !$("ask-run").disabled;
  }

  /**
   * Change a key of the text as it stands, typed or not yet read.
   * @param {Path} path @param {unknown} value
   */
  change(path, value) {
    return this.#read({ text: $("ask-text").value, changes: [[path, value]] });
  }

  #sentence() {
    if (!this.found) return;
    const { wish, measures, kept } = this.found;
    const usual = wish ?? { where: [], then: [], count: 12, keep: "highest" };
    Object.assign(this.wish.wish, usual, wish && "apart" in wish ? {} : { apart: undefined });
    this.wish.offer(measures);
    $("ask-rule").hidden = !kept;
    $("ask-rule").textContent = kept ? `It keeps by another rule, ${kept}: change the sentence to replace it.` : "";
  }

  #wished() {
    const first = this.found?.measures.length ? this.wish.value() : null;
    if (first) this.#read({ text: $("ask-text").value, wish: first, lent: this.lent }, { wished: true });
  }

  /**
   * The first row of the sentence: what it is about, and what is kept of it.
   * @param {import("./wish.js").Opening} opening
   */
  #opening({ count, end, metric }) {
    const open = !$("ask-fields").hidden;
    const controls = { id: "ask-of", "aria-expanded": String(open), "aria-controls": "ask-fields" };
    const words = this.found?.of || this.found?.query.generator.name || "…";
    this.about = el("button", { ...controls, onclick: () => this.#turn($("ask-fields"), this.about) }, words);
    const of = el("span", { class: "lead" }, "Of");
    return [el("p", { class: "row" }, of, this.about, el("span", {}, "keep the"), count, end, metric)];
  }

  /** @param {HTMLElement} what @param {HTMLElement} button */
  #turn(what, button) {
    what.hidden = !what.hidden;
    button.setAttribute("aria-expanded", String(!what.hidden));
  }

  // ---- saving

  /** Save a question that has no file yet. */
  async #save() {
    if (this.file || !this.found || !(await this.#current())) return;
    let { text } = this;
    const { title, of } = this.found;
    if (!title && of)
      text = (await one("question", { text, changes: [[["title"], `${of[0].toUpperCase()}${of.slice(1)}`]] })).text;
    const words = title || of || this.found.query.domain;
    const names = all($("ask-questions"), "[data-file]").map(({ dataset }) => dataset.file);
    let name = fileName(words);
    for (let number = 2; names.includes(name); number += 1) name = fileName(words, number);
    const saved = await one("save_question", { name, text, stamp: "" });
    if (saved.conflict) throw new Error(`There is a file ${name} already: give the question another title.`);
    this.file = name;
    this.stamp = saved.stamp;
    localStorage.setItem(LAST, name);
    await this.#read({ text });
    await this.#list();
  }

  /** Write the question into its file, after what is being written. */
  #write(force = false) {
    const { text, file } = this;
    this.writing = this.writing
      .catch(() => {})
      .then(async () => {
        if (this.file !== file) return;
        this.isUnwritten = true;
        const saved = await one("save_question", { name: file, text, stamp: this.stamp, force });
        this.isUnwritten = false;
        if (this.file !== file) return;
        $("ask-conflict").hidden = !saved.conflict;
        $("ask-what").textContent = saved.gone
          ? `The file ${file} is gone.`
          : `The file ${file} was changed outside of this page. Your last change is not written.`;
        if (!saved.conflict) this.stamp = saved.stamp;
      });
    return this.writing;
  }

  /** Write what is not written, now that the server answers again. */
  goOn() { return this.isUnwritten ? this.#write() : undefined; }

  // ---- answers

  /** Show what is recorded, or what it would take. */
  async #answers() {
    const own = this.asked;
    await attempt(() => this.answer.refresh());
    if (own !== this.asked) return;
    const { found } = this.answer,
      shown = Boolean(found?.bars),
      part = shown && !found?.done;
    $("ask-save").hidden = Boolean(this.file);
    $("ask-run").hidden = $("ask-sample").hidden = shown;
    $("ask-run").textContent = "Ask";
    $("ask-resume").hidden = !part || !found?.resumable;
    $("ask-cost").textContent = "";
    if (!shown) await this.#cost();
    else if (part) setTimeout(() => own === this.asked && this.#cost(), AFTER); // the pictures come first
  }

  async #cost() {
    const { text } = this,
      own = this.asked;
    $("ask-cost").textContent = "Estimating …";
    try {
      for await (const found of ask("cost", { text })) {
        if (own !== this.asked || found.stopped) return;
        const left = BigInt(found.remaining), words = this.found?.words?.[left === 1n ? 0 : 1] ?? "puzzles";
        const many = left.toLocaleString("en");
        $("ask-cost").textContent = left === 0n ? "It is recorded already." : `${many} ${words}, ${price(found)}`;
        if (left > BigInt(SAMPLE)) continue; // a sample would be all of them
        $("ask-sample").hidden = true;
        if (left) $("ask-run").textContent = `Try all ${many}`;
      }
    } catch (error) {
      if (own === this.asked) $("ask-cost").textContent = sentence(error);
    }
  }

  /** @param {object} more */
  async #run(more) {
    const { file: own } = this;
    if (!$("ask-fields").hidden) this.#turn($("ask-fields"), this.about); // the answer comes in its place
    if (!(await this.#current())) return;
    await attempt(() => this.#save());
    const ended = await record(this.state, { job: "asked", text: this.text, ...more }, $("ask-progress"));
    if (ended?.state === "finished") $("ask-progress").textContent = ""; // the answer says it
    if (own && own !== this.file) return;
    await this.#answers();
    await attempt(() => this.#list());
  }
}
