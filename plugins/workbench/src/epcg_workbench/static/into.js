// The dialog that puts a puzzle into a chapter of a plan.
// @ts-check
import { one } from "./api.js";
import { $, all, el, sentence } from "./base.js";
import { foremost } from "./foremost.js";
import { folded } from "./more.js";

export const LAST_PLAN = "epcg:plan";

/** The name of a file for a title; the second of this name has the number 2. @param {string} title */
export function fileName(title, number = 1) {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const stem = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, 60).replace(/-+$/, "") || "plan";
  return `${stem}${number > 1 ? `-${number}` : ""}.toml`;
}
export function lastPlan() { try { return localStorage.getItem(LAST_PLAN) ?? ""; } catch { return ""; } }
/** Remember the plan that was used last. @param {string} name of its file */
export function keepPlan(name) {
  try {
    localStorage.setItem(LAST_PLAN, name);
  } catch {
    /* it is chosen by hand then */
  }
}

export class IntoDialog {
  constructor() {
    /** @type {Answers["entry"] | null} */ this.puzzle = null;
    /** @type {Answers["plan"] | null} */ this.plan = null;
    this.reads = 0;
    /** What is said of a puzzle that cannot be solved. */ this.unsolved = "";
    $("into-plan").onchange = () => this.#attempt(() => this.#read());
    $("into-chapter").onchange = () => this.#fields();
    $("into-add").onclick = () => this.#attempt(() => this.#add());
    $("into-close").onclick = () => $("into").close();
  }

  /** @param {() => unknown} what */
  async #attempt(what) {
    $("into-said").textContent = ""; $("into-trouble").textContent = "";
    try { await what(); } catch (error) { $("into-trouble").textContent = sentence(error); }
  }

  /**
   * Ask where a puzzle shall go.
   * @param {PuzzleName} puzzle @param {string} [measure] the measure that it was found by
   */
  async open(puzzle, measure = "") {
    $("into-add").disabled = true;
    for (const place of [$("into-plan"), $("into-chapter"), $("into-measure")]) place.replaceChildren();
    $("into").showModal();
    await this.#attempt(async () => {
      this.unsolved = "";
      const { metrics } = (this.puzzle = await one("entry", puzzle));
      void this.#warn(this.puzzle);
      const found = await one("plans");
      const plans = found.files.map(({ name, title }) => el("option", { value: name }, `${title} (${name})`));
      $("into-plan").replaceChildren(...plans, el("option", { value: "" }, "a new plan"));
      if (found.files.some(({ name }) => name === lastPlan())) $("into-plan").value = lastPlan();
      const [first, rest] = foremost(metrics).map((some) => some.map(({ metric, title, description }) =>
        el("option", { value: metric, title: description, selected: metric === measure }, title)));
      folded($("into-measure"), first, rest, "more measures …");
      await this.#read();
    });
  }

  /** Say that a puzzle cannot be solved, as soon as that is known. @param {Answers["entry"]} puzzle */
  async #warn(puzzle) {
    const found = await one("novelties", { puzzles: [puzzle.entry] }).catch(() => null);
    if (puzzle !== this.puzzle || !found?.unsolved) return;
    this.unsolved = `This puzzle cannot be solved: ${found.unsolved}.`;
    this.#fields();
  }

  /** Read the plan that is chosen. An answer about one that was chosen before comes too late to count. */
  async #read() {
    const name = $("into-plan").value, read = ++this.reads;
    $("into-add").disabled = true;
    const plan = name ? await one("plan", { name }) : null;
    if (read !== this.reads) return;
    this.plan = plan;
    if (this.plan?.trouble) throw new Error(this.plan.trouble);
    const chapters = this.plan?.chapters ?? [];
    const known = chapters.map(({ title }, at) => el("option", { value: at + 1 }, `${at + 1}. ${title}`));
    $("into-chapter").replaceChildren(...known, el("option", { value: "" }, "a new chapter"));
    if (chapters.length) $("into-chapter").value = String(chapters.length);
    this.#fields();
    $("into-add").disabled = false;
  }

  /** Show what a new plan or a new chapter needs. */
  #fields() {
    const chapter = this.plan?.chapters[Number($("into-chapter").value) - 1], last = chapter?.parts.at(-1);
    const known = Boolean(this.plan), measure = !chapter || !last?.measure;
    /** @type {Record<string, boolean>} */
    const needed = { plan: !known, chapter: known, title: known && !chapter, measure };
    for (const each of all($("into"), "[data-into]")) each.hidden = !needed[each.dataset.into ?? ""];
    const becomes = "it becomes a list by hand: what is chosen now, and this puzzle.";
    const told = `The plan chooses this chapter by itself; ${becomes}`;
    const parts = [chapter && !last?.listed ? told : "", this.unsolved].filter(Boolean);
    $("into-about").textContent = parts.join(" ");
    $("into-about").className = this.unsolved ? "bad" : "muted";
  }

  async #add() {
    let { plan, puzzle } = this;
    if (!puzzle) return;
    if (!plan) {
      const title = $("into-title").value.trim() || "My puzzles";
      plan = await one("new_plan", { name: fileName(title), title });
    }
    const { name } = plan, first = !this.plan;
    const number = first ? 1 : Number($("into-chapter").value), measure = $("into-measure").value;
    const chapter = number ? { chapter: number } : { title: $("into-chapter-title").value.trim() };
    const made = await one("insert", { name, text: plan.text, entry: puzzle.entry, measure, ...chapter });
    if (made.trouble) throw new Error(made.trouble);
    const saved = await one("save", { name, text: made.text, stamp: plan.stamp });
    if (saved.conflict) {
      await this.#read();
      const what = `${name} was changed meanwhile, so nothing was written.`;
      throw new Error(`${what} It is read again: add the puzzle now.`);
    }
    keepPlan(name);
    const address = `#curricula/${encodeURIComponent(name)}`, close = () => $("into").close();
    $("into-said").replaceChildren(
      `It is in chapter ${made.chapter}, ${made.chapters[made.chapter - 1].title}. `,
      el("a", { href: address, onclick: close }, "Look at the plan"),
    );
    $("into-add").disabled = true;
    $("into-close").focus();
  }
}
