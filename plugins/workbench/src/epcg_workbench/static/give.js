// Giving a plan's puzzles away: built and exported, with progress wherever one comes back to.
// @ts-check
import { ask } from "./api.js";
import { bytes } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
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

/** Where a format's progress is shown: in its row. @param {string} format @returns {any} */
function place(format) {
  const button = format && document.querySelector(`#plan-give [data-format="${format}"]`);
  return (button && button.closest(".give")?.querySelector(".giving")) || $("plan-progress");
}

export class GivePane {
  /** @param {import("./arrange.js").ArrangePage} plans */
  constructor(plans) {
    this.plans = plans;
    /** @type {any[]} */ this.exports = [];
  }

  /** Offer formats. @param {string[]} formats */
  offer(formats) {
    const { el } = this.plans.page;
    this.exports = formats;
    $("plan-give").replaceChildren(
      ...ROWS.map(([title, kinds]) =>
        el(
          "div",
          { class: "give" },
          el("span", {}, title),
          el("span", { class: "muted written" }),
          .../** @type {string[][]} */ (kinds)
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
    for (const each of document.querySelectorAll("#plan-give button")) /** @type {any} */ (each).disabled = !open;
  }

  /** Show what was written before, and follow what is under way. */
  async open() {
    const { page, plan } = this.plans;
    if (!plan) return;
    await this.#written();
    const runs = await (await fetch("/runs")).json();
    const mine = runs
      .filter((run) => run.title.startsWith(`export ${plan.title} as `) || run.title === `build ${plan.title}`)
      .at(-1);
    const format = mine?.title.startsWith("export ") ? mine.title.split(" as ").at(-1) : "";
    if (mine?.state === "running")
      page.track(ask(`/runs/${mine.number}/follow`), place(format)).then(() => this.#written());
  }

  async #written() {
    const { plan } = this.plans,
      found = new Map();
    try {
      for await (const each of ask("written", { name: plan.name })) if (each.format) found.set(each.format, each);
    } catch {
      return;
    }
    for (const row of document.querySelectorAll("#plan-give .give")) {
      const kinds = [...row.querySelectorAll("button")].map((each) => each.dataset.format),
        own = kinds.map((kind) => found.get(kind)).find(Boolean);
      const place = /** @type {any} */ (row.querySelector(".written"));
      place.textContent = own ? `${bytes(own.bytes)}, ${own.time}` : "";
      place.title = own?.file ?? "";
    }
  }

  /** Make the runs that the plan needs, and record its choice. @param {string} [format] for which export */
  async build(format = "") {
    const { plans } = this;
    await plans.edits;
    const ended = await plans.page.record({ job: "build", name: plans.plan.name }, place(format));
    if (ended?.state === "finished" && !plans.ready) await plans.read(plans.plan.name);
    return ended;
  }

  async #export(format) {
    const { name } = this.plans.plan,
      buttons = document.querySelectorAll("#plan-give button[data-format]");
    for (const each of document.querySelectorAll("#plan-give .giving")) each.textContent = "";
    $("plan-progress").textContent = "";
    for (const each of buttons) /** @type {any} */ (each).disabled = true;
    try {
      const ended = await this.build(format);
      if (ended?.state !== "finished") return;
      await this.plans.page.record({ job: "export", name, format }, place(format));
    } finally {
      for (const each of buttons) /** @type {any} */ (each).disabled = false;
    }
    await this.#written();
  }
}
