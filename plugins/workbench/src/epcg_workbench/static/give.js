// Giving a plan's puzzles away: built and exported, with progress wherever one comes back to.
// @ts-check
import { ask, read } from "./api.js";
import { $, all, el, seek } from "./base.js";
import { record, track } from "./running.js";
import { bytes } from "./words.js";

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

/** Where a format's progress is shown: in its row. @param {string} format */
function place(format) {
  const row = format ? seek($("plan-give"), `[data-format="${format}"]`)?.closest(".give") : null;
  return (row && seek(row, ".giving")) ?? $("plan-progress");
}

export class GivePane {
  /** @param {import("./arrange.js").ArrangePage} plans */
  constructor(plans) {
    this.plans = plans;
  }

  /** Offer formats. @param {string[]} formats */
  offer(formats) {
    $("plan-give").replaceChildren(
      ...ROWS.map(([title, kinds]) =>
        el(
          "div",
          { class: "give" },
          el("span", {}, title),
          el("span", { class: "muted written" }),
          ...kinds
            .filter(([kind]) => formats.includes(kind))
            .map(([kind, words]) =>
              el(
                "button",
                { "data-format": kind, "aria-label": `${title}, ${words}`, onclick: () => this.#export(kind) },
                words,
              ),
            ),
          el("p", { class: "giving", "aria-live": "polite" }),
        ),
      ),
    );
  }

  /** Whether there is something to give. @param {boolean} open */
  allow(open) {
    for (const each of $("plan-give").querySelectorAll("button")) each.disabled = !open;
  }

  /** Show what was written before, and follow what is under way. */
  async open() {
    const { plan, state } = this.plans;
    if (!plan) return;
    await this.#written();
    /** @type {RunState[]} */
    const runs = await read("runs");
    const mine = runs
      .filter((run) => run.title.startsWith(`export ${plan.title} as `) || run.title === `build ${plan.title}`)
      .at(-1);
    const format = mine?.title.startsWith("export ") ? (mine.title.split(" as ").at(-1) ?? "") : "";
    if (mine?.state === "running")
      void track(state, ask(`/runs/${mine.number}/follow`), place(format)).then(() => this.#written());
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
      place.textContent = own ? `${bytes(own.bytes)}, ${own.time}` : "";
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

  /** @param {string} format */
  async #export(format) {
    const { name } = this.plans.present;
    for (const each of all($("plan-give"), ".giving")) each.textContent = "";
    $("plan-progress").textContent = "";
    this.allow(false);
    try {
      const ended = await this.build(format);
      if (ended?.state !== "finished") return;
      await record(this.plans.state, { job: "export", name, format }, place(format));
    } finally {
      this.allow(true);
    }
    await this.#written();
  }
}
