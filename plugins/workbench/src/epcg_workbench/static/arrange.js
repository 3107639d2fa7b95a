// The page of chapters: a plan as a file, and what it chooses. Every change is a change of the plan's text.
// @ts-check
import { ask, one } from "./api.js";
import { belonging } from "./ask_begin.js";
import { $, attempt, el, headed } from "./base.js";
import { ChapterPane } from "./chapters_pane.js";
import { ChaptersView, NO_PUZZLE } from "./chapters_view.js";
import { divided } from "./foremost.js";
import { GivePane } from "./give.js";
import { fileName, keepPlan, lastPlan } from "./into.js";
import { folded } from "./more.js";

const LOOK_MS = 2000,
  KNOWN_AT_ONCE = 4;

/** A chosen puzzle with its place: chapter, part, number in the part. @typedef {PlanPuzzle & {i: number, j: number,
 *   k: number, measure: string}} Chosen */
/** A change of a plan as `arrange` takes it. @typedef {{text?: string, changes?: Edit[], order?: number[],
 *   lists?: [path: Path, entries: string[]][]}} PlanChange */

export class ArrangePage {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {Plan | null} */ this.plan = null;
    /** Whether all that the plan needs is recorded. */ this.ready = false;
    this.stamp = "";
    /** @type {string[]} texts before the present one */ this.before = [];
    /** @type {Plan | null} a text that could not be written, because the file is another */ this.waiting = null;
    /** @type {Map<string, Choice>} what each part chooses */ this.parts = new Map();
    /** @type {Map<string, Novelty>} what is in a puzzle, by its id */ this.known = new Map();
    /** The chapter that is chosen, and the puzzle in it. */
    this.at = 0;
    this.entry = "";
    /** @type {Promise<void>} */ this.edits = Promise.resolve();
    this.writing = 0;
    this.view = new ChaptersView(this);
    this.pane = new ChapterPane(this);
    this.give = new GivePane(this);
    $("plan-file").onchange = () => {
      location.hash = `#curricula/${encodeURIComponent($("plan-file").value)}`;
    };
    $("plan-new").onclick = () => this.#offer(Boolean($("plan-begin").hidden));
    $("plan-make").onclick = () => attempt(() => this.#begin());
    $("plan-title").onkeydown = (event) => {
      if (event.key === "Enter") attempt(() => this.#begin());
    };
    $("plan-undo").onclick = () => this.#undo();
    $("plan-chapter").onclick = () => this.#newChapter();
    $("plan-read").onclick = () => this.change({ text: $("plan-text").value });
    $("plan-as-text").onclick = () => {
      $("plan-text-part").hidden = !$("plan-text-part").hidden;
      $("plan-as-text").setAttribute("aria-pressed", String(!$("plan-text-part").hidden));
    };
    $("plan-again").onclick = () => attempt(() => this.read(this.present.name));
    $("plan-force").onclick = () => attempt(() => this.#write(this.waiting ?? this.present, true));
    setInterval(() => this.#look(), LOOK_MS);
  }

  /** The plan that is open. Throws an error if none is. */
  get present() {
    if (!this.plan) throw new Error("No plan is open: choose one, or begin a new one.");
    return this.plan;
  }

  /** Open the page, with a plan if one is named. @param {string} name */
  async open(name) {
    await attempt(async () => {
      const found = await one("plans");
      const wanted = name || this.plan?.name || lastPlan();
      const there = found.files.some((file) => file.name === wanted) ? wanted : (found.files[0]?.name ?? "");
      const option = (/** @type {string} */ value, /** @type {string} */ words) =>
        el("option", { value, selected: value === there }, words);
      $("plan-file").replaceChildren(
        ...(found.files.length ? [] : [option("", "none yet")]),
        ...found.files.map((file) => option(file.name, file.title)),
      );
      $("plan-folder").textContent = `Plans lie in ${found.folder}.`;
      const own = await belonging(this.state, found.own);
      const copies = (/** @type {Shipped[]} */ some) =>
        some.map(({ name: value, title }) => el("option", { value }, title));
      const [mine, others] = divided(found.shipped, own, (each) => each.domains);
      const nothing = el("option", { value: "" }, "nothing");
      folded($("plan-copy"), [nothing, ...copies(mine)], copies(others), "plans about other kinds of puzzles …");
      this.pane.renew();
      this.give.offer(found.exports);
      this.#offer(!there);
      if (name && there !== name) throw new Error(`There is no plan ${name} in ${found.folder}.`);
      if (there) await this.read(there);
      else this.show();
    });
    await this.give.open();
  }

  /** @param {boolean} open */
  #offer(open) {
    $("plan-begin").hidden = !open;
    if (open) $("plan-title").focus();
  }

  async #begin() {
    const title = $("plan-title").value.trim(),
      shipped = $("plan-copy").value;
    const name = fileName(title || shipped.split("/").at(-1) || "My puzzles");
    const made = await one("new_plan", shipped ? { name, shipped } : { name, title: title || "My puzzles" });
    const saved = await one("save", { name, text: made.text, stamp: "" });
    if (saved.conflict) throw new Error(`There is a file ${name} already: choose another title.`);
    $("plan-title").value = "";
    location.hash = `#curricula/${encodeURIComponent(name)}`;
  }

  // ---- the file

  /** Read a plan from its file. @param {string} name */
  async read(name) {
    const found = await one("plan", { name });
    if (this.plan?.name !== name) {
      this.before = [];
      this.at = 0;
      this.entry = "";
      this.pane.forget();
    }
    keepPlan(name);
    this.#adopt(found, found.stamp);
  }

  /** Make a plan the present one. @param {Plan} plan @param {string} stamp @param {string} [entry] */
  #adopt(plan, stamp, entry = "") {
    const shape = (/** @type {Plan | null} */ each) =>
      JSON.stringify([each?.name, each?.chapters.map((chapter) => [chapter.name, chapter.parts.length])]);
    if (shape(this.plan) !== shape(plan)) this.parts.clear();
    this.plan = plan;
    this.stamp = stamp;
    this.waiting = null;
    this.at = Math.max(0, Math.min(this.at, plan.chapters.length - 1));
    $("plan-conflict").hidden = true;
    $("plan-text").value = plan.text;
    $("plan-trouble").textContent = plan.trouble;
    this.show();
    if (!plan.trouble) this.#choose(entry);
  }

  /**
   * Change the plan's text, and write it.
   * @param {PlanChange} request @param {string} entry the puzzle that keeps the focus
   */
  change(request, entry = "") {
    this.edits = this.edits.then(() =>
      attempt(async () => {
        const { name, text } = this.waiting ?? this.present;
        const made = await one("arrange", { name, text, ...request });
        if (made.trouble) {
          $("plan-trouble").textContent = made.trouble;
          return;
        }
        if (made.text !== text || $("plan-trouble").textContent) await this.#write(made, false, entry);
      }),
    );
    return this.edits;
  }

  /** @param {Plan} made @param {boolean} force @param {string} [entry] */
  async #write(made, force, entry = "") {
    this.writing += 1;
    const saved = await one("save", { name: made.name, text: made.text, stamp: this.stamp, force }).finally(() => {
      this.writing -= 1;
    });
    if (saved.conflict) {
      this.waiting = made;
      return this.#conflict(saved.gone ?? false);
    }
    if (this.present.text !== made.text) this.before.push(this.present.text);
    this.#adopt(made, saved.stamp, entry);
    return undefined;
  }

  /** @param {boolean} gone */
  #conflict(gone) {
    const { name } = this.present;
    const what = gone
      ? `The file ${name} is gone.`
      : `The file ${name} was changed outside of this page.`;
    $("plan-what").textContent =
      `${what} ${this.waiting ? "Your last change is not written." : "Nothing is overwritten."}`;
    $("plan-again").disabled = gone;
    $("plan-conflict").hidden = false;
  }

  /** Look whether the file is what was read. */
  async #look() {
    const still = () =>
      this.plan && !this.writing && !$("curricula").hidden && !document.hidden && $("plan-conflict").hidden;
    if (!still()) return;
    const { name } = this.present,
      own = this.stamp;
    const found = await one("stamp", { name }).catch(() => null);
    if (found && still() && this.present.name === name && this.stamp === own && found.stamp !== own)
      this.#conflict(!found.stamp);
  }

  #undo() {
    const text = this.before.pop();
    if (text === undefined) return;
    this.change({ text }).then(() => {
      if (this.present.text === text) this.before.pop();
      else this.before.push(text);
      this.#tools();
    });
  }

  // ---- what it chooses

  /** @param {string} entry */
  async #choose(entry) {
    const { name, text, hash, chapters } = this.present;
    const wanted = new Set(chapters.flatMap((chapter, i) => chapter.parts.map((_, j) => `${i}.${j}`)));
    for (const key of this.parts.keys()) if (!wanted.has(key)) this.parts.delete(key);
    await attempt(async () => {
      for await (const message of ask("choice", { name, text })) {
        if (this.present.hash !== hash || message.stopped) return;
        if (!message.end) {
          this.parts.set(`${message.chapter}.${message.part}`, message);
          this.view.part(message.chapter, message.part);
        } else this.ready = message.ready ?? false;
      }
      this.view.known();
      this.give.tell();
      this.pane.show();
      if (entry) this.view.focus(entry);
    });
    if (this.present.hash === hash) await this.#learn(hash);
  }

  /** All chosen puzzles in order, each with its place. @returns {Chosen[]} */
  puzzles() {
    return (this.plan?.chapters ?? []).flatMap((chapter, i) =>
      chapter.parts.flatMap((_, j) => {
        const { puzzles = [], measure = "" } = this.parts.get(`${i}.${j}`) ?? {};
        return puzzles.map((puzzle, k) => ({ ...puzzle, i, j, k, measure }));
      }),
    );
  }

  /** The title of the first chapter in which a part lists no puzzle; null if each has some, or may get some. */
  empty() {
    const isEmpty = (/** @type {number} */ i, /** @type {number} */ j) =>
      this.parts.get(`${i}.${j}`)?.trouble?.startsWith(NO_PUZZLE) ?? false;
    return this.present.chapters.find(({ parts }, i) => parts.some((_, j) => isEmpty(i, j)))?.title ?? null;
  }

  /** Find out what is in the puzzles, a few at a time, so that pictures come in between. @param {string} hash */
  async #learn(hash) {
    const left = this.puzzles().filter(({ puzzle }) => !this.known.has(puzzle));
    try {
      while (left.length && this.present.hash === hash) {
        const some = left.splice(0, KNOWN_AT_ONCE).map(({ puzzle }) => puzzle);
        let told = 0;
        for await (const found of ask("novelties", { puzzles: some }))
          if (found.puzzle) {
            this.known.set(found.puzzle, found);
            told += 1;
          }
        if (!told) return;
        this.view.lost();
        this.pane.puzzle.news();
      }
    } catch {
      /* the page says that the server is gone as soon as something else is asked */
    }
  }

  // ---- what is shown

  #tools() {
    const open = this.plan !== null && !this.plan.trouble;
    $("plan-open").hidden = $("plan-pane").hidden = $("plan-end").hidden = !this.plan;
    $("plan-undo").disabled = !this.before.length;
    $("plan-chapter").disabled = !open;
    this.give.allow(open);
  }

  show() {
    this.#tools();
    headed("curricula", this.plan?.title ?? "Chapters");
    if (!this.plan) return;
    this.view.show();
    this.pane.show();
  }

  /** Choose a chapter, and a puzzle of it. @param {number} chapter @param {string} entry */
  choose(chapter, entry = "") {
    this.at = chapter;
    this.entry = entry;
    this.view.mark();
    this.pane.show();
  }

  /** Say to those who hear the page what was done. @param {string} sentence */
  say(sentence) {
    $("plan-said").textContent = sentence;
  }

  #newChapter() {
    const { chapters } = this.present,
      names = new Set(chapters.map((chapter) => chapter.name)),
      at = chapters.length;
    let number = at + 1;
    while (names.has(`chapter-${number}`)) number += 1;
    this.at = at;
    const table = { name: `chapter-${number}`, title: `Chapter ${at + 1}`, measure: "" };
    return this.change({ changes: [[["chapters", at], table]], lists: [[["chapters", at], []]] }).then(() => {
      this.choose(at);
      $("chapter-title").focus();
    });
  }
}
