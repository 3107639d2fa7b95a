// Giving a plan's puzzles away: built and exported, with progress wherever one comes back to.
// @ts-check
import { ask, read } from "./api.js";
import { $, all, el, seek, trouble } from "./base.js";
import { opening, record, track } from "./running.js";
import { bytes, counted, seconds } from "./words.js";

/** @type {[title: string, kinds: [kind: string, words: string][]][]} */
const ROWS = [
  [
    "Booklet to print",
    [
      ["pdf", "PDF"],
      ["html", "HTML"],
    ],
  ],
  ["One page for a friend", [["page", "HTML"]]],
  ["Play pages", [["site", "Folder"]]],
  [
    "For other programs",
    [
      ["json", "JSON"],
      ["csv", "CSV"],
    ],
  ],
];

const TOOK = "epcg:took";

/** What the last export of a plan in a format took, and of how many puzzles.
 * @typedef {{seconds: number, puzzles: number}} Took */

/** How long the exports of a plan took last time, by format: what others take depends on the game.
 * @param {string} name @returns {Record<string, Took>} */
function tookOf(name) {
  try { return JSON.parse(localStorage.getItem(`${TOOK}:${location.pathname}${name}`) ?? "{}"); } catch { return {}; }
}

/** Remember it. @param {string} name @param {string} format @param {Took} took */
function keepTook(name, format, took) {
  try {
    localStorage.setItem(`${TOOK}:${location.pathname}${name}`, JSON.stringify({ ...tookOf(name), [format]: took }));
  } catch { /* nothing is told beside it then */ }
}

/** Where a format's progress is shown: in its row, beside what is told of the row's others. @param {string} format */
function place(format) {
  const row = format ? seek($("plan-give"), `[data-format="${format}"]`)?.closest(".give") : null;
  const told = row && seek(row, ".giving");
  if (!told) return $("plan-progress");
  const known = seek(told, `[data-of="${format}"]`);
  if (known) return known;
  const made = el("span", { "data-of": format });
  told.append(made);
  return made;
}

export class GivePane {
  /** @param {import("./arrange.js").ArrangePage} plans */
  constructor(plans) {
    this.plans = plans;
    /** The formats that are being written. @type {Set<string>} */ this.working = new Set();
    /** What exports wait for, by the names of plans. @type {Map<string, Promise<RunState | null>>} */
    this.building = new Map();
  }

  /** Offer formats. @param {string[]} formats */
  offer(formats) {
    const button = (/** @type {string} */ title, /** @type {string} */ kind, /** @type {string} */ words) =>
      el(
        "button",
        { "data-format": kind, "aria-label": `${title}, ${words}`, onclick: () => this.#export(kind) },
        words,
      );
    $("plan-give").replaceChildren(
      ...ROWS.map(([title, kinds]) => {
        const offered = kinds.filter(([kind]) => formats.includes(kind));
        return el(
          "div",
          { class: "give" },
          el("span", {}, title, " ", el("small", { class: "muted cost" })),
          el("span", { class: "muted written" }),
          ...offered.map(([kind, words]) => button(title, kind, words)),
          el("p", { class: "giving", "aria-live": "polite" }),
        );
      }),
    );
    this.tell();
  }

  /** Whether there is something to give. @param {boolean} open */
  allow(open) {
    for (const each of $("plan-give").querySelectorAll("button"))
      each.disabled = !open || this.working.has(each.dataset.format ?? "");
  }

  /** Say what each row took last time; nothing of one that was not written here yet. */
  tell() {
    const { plan } = this.plans, count = plan ? this.plans.puzzles().length : 0, known = tookOf(plan?.name ?? "");
    for (const row of all($("plan-give"), ".give")) {
      const buttons = [...row.querySelectorAll("button")], cost = seek(row, ".cost");
      const told = buttons.flatMap(({ dataset, textContent }) => {
        const took = known[dataset.format ?? ""];
        if (!took) return [];
        const of = took.puzzles === count ? "" : ` for ${counted(took.puzzles, "puzzle")}`;
        return [`${buttons.length > 1 ? `${textContent} ` : ""}${seconds(took.seconds)}${of}`];
      });
      if (cost) cost.textContent = told.length ? `last time ${told.join(", ")}` : "";
    }
  }

  /** Show what was written before, and follow what is under way. */
  async open() {
    const { plan, state } = this.plans;
    if (!plan) return;
    await this.#written();
    /** @type {RunState[]} */
    const runs = await read("runs");
    const begins = `export ${plan.title} as `;
    for (const run of runs) {
      if (run.state !== "running" || !(run.title.startsWith(begins) || run.title === `build ${plan.title}`)) continue;
      const format = run.title.startsWith(begins) ? run.title.slice(begins.length) : "";
      if (!this.working.has(format))
        void track(state, ask(`/runs/${run.number}/follow`), place(format)).then(() => this.#written());
    }
  }

  async #written() {
    const { plan } = this.plans;
    /** @type {Map<string, Answers["written"]>} */ const found = new Map();
    if (!plan) return;
    try {
      for await (const each of ask("written", { name: plan.name })) if (each.format) found.set(each.format, each);
    } catch {
      return;
    }
    for (const row of all($("plan-give"), ".give")) {
      const kinds = [...row.querySelectorAll("button")].map((each) => each.dataset.format ?? ""),
        own = kinds.map((kind) => found.get(kind)).find(Boolean);
      const place = seek(row, ".written");
      if (!place) continue;
      const told = own ? `${bytes(own.bytes)}, ${own.time}` : "";
      place.replaceChildren(own?.link ? opening(own.link, own.file, told) : told);
      place.title = own?.file ?? "";
    }
  }

  /** Make the runs that the plan needs, and record its choice. @param {string} [format] for which export */
  async build(format = "") {
    const { plans } = this;
    await plans.edits;
    const { name } = plans.present;
    const ended = await record(plans.state, { job: "build", name }, place(format));
    if (ended?.state === "finished" && !plans.ready) await plans.read(plans.present.name);
    return ended;
  }

  /** Write a format, beside others that are being written; the plan is built once for all of them.
   * @param {string} format */
  async #export(format) {
    const { name } = this.plans.present, empty = this.plans.empty();
    $("plan-progress").textContent = "";
    if (empty !== null) {
      const why = `The chapter “${empty}” has no puzzle yet`;
      return trouble(new Error(`${why}: say after “Take” from which question it takes some, or remove it.`));
    }
    this.working.add(format);
    this.allow(true);
    try {
      const known = this.building.get(name);
      const waits = known ?? this.build(format).finally(() => this.building.delete(name));
      this.building.set(name, waits);
      if (known) place(format).textContent = "Waits for the plan to be built.";
      const ended = await waits;
      if (ended?.state !== "finished") {
        if (known) place(format).textContent = "Not written: the plan was not built.";
        return;
      }
      const written = await record(this.plans.state, { job: "export", name, format }, place(format));
      const took = { seconds: written?.seconds ?? 0, puzzles: this.plans.puzzles().length };
      if (written?.state === "finished" && name === this.plans.present.name) keepTook(name, format, took);
      this.tell();
    } finally {
      this.working.delete(format);
      this.allow(true);
    }
    await this.#written();
  }
}
