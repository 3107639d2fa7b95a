// Giving a plan's puzzles away: built and exported, with progress wherever one comes back to.
// @ts-check
import { ask, read } from "./api.js";
import { $, all, el, seek } from "./base.js";
import { opening, record, track } from "./running.js";
import { bytes, seconds } from "./words.js";

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

/** Seconds that a format takes at most, and for each puzzle. @type {Record<string, [start: number, each: number]>} */
const COSTS = {
  pdf: [3, 0.1], html: [2, 0.05], json: [2, 0.02], csv: [2, 0.02], page: [3, 0.5], site: [3, 7],
};
const AT_ONCE = 5;

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

  /** Say what each row would take. */
  tell() {
    const { plan, ready } = this.plans, count = plan ? this.plans.puzzles().length : 0;
    for (const row of all($("plan-give"), ".give")) {
      const kinds = [...row.querySelectorAll("button")].map((each) => COSTS[each.dataset.format ?? ""] ?? [0, 0]);
      const most = Math.max(0, ...kinds.map(([start, each]) => start + each * count));
      const time = most < AT_ONCE ? "at once" : `up to ${seconds(most)}`;
      const told = !count ? "" : ready ? time : `${time} after its answers`;
      const cost = seek(row, ".cost");
      if (cost) cost.textContent = told;
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
    const { name } = this.plans.present;
    $("plan-progress").textContent = "";
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
      await record(this.plans.state, { job: "export", name, format }, place(format));
    } finally {
      this.working.delete(format);
      this.allow(true);
    }
    await this.#written();
  }
}
