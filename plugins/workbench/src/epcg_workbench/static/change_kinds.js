// The kinds of change that are tried, as toggles, and how many changes each kind has before any is measured.
// @ts-check
import { ask } from "./api.js";
import { $, el, seek } from "./base.js";

const WAIT_MS = 300;
/** @type {[string, string[], string, string][]} */
const KINDS = [
  ["one", ["put", "erase"], "One place", "Put a mark on a place, or empty it"],
  ["move", ["move"], "Take elsewhere", "Take what lies on a place to an empty one"],
  ["swap", ["swap"], "Swap two", "Exchange what lies on two places"],
  ["flip", ["flip"], "Mirror", "Mirror a rectangle of cells, left to right or upside down"],
  ["turn", ["turn"], "Turn", "Turn a rectangle of cells"],
];
/** Kinds of which there may be others in regions of another size. */
const REGIONS = ["flip", "turn"];
/** What is told of a kind without changes: of places, and of regions. */
const NONE = ["there is none here", "none in regions of this size or place; choose it for others"];
/** @type {Record<string, string>} */
const EACH = { put: "put something", erase: "empty a place" };

export class ChangeKinds {
  /**
   * @param {() => object} request what the changes are of @param {() => void} changed hears of a choice
   */
  constructor(request, changed) {
    this.request = request;
    this.changed = changed;
    this.names = new Set(["one"]);
    /** @type {Map<string, Answers["change_counts"]>} What is known of each kind. */ this.counts = new Map();
    this.asked = "";
    /** @type {AbortController | null} */ this.asking = null;
  }

  /** The kinds that are chosen, as requests name them. */
  get chosen() {
    return KINDS.flatMap(([name, kinds]) => (this.names.has(name) ? kinds : []));
  }
  /** Whether regions are flipped or turned. */
  get needsRegion() {
    return this.names.has("flip") || this.names.has("turn");
  }

  /** Choose a kind, or leave it; one is always chosen. @param {string} name */
  toggle(name) {
    if (!this.names.delete(name)) this.names.add(name);
    if (!this.names.size) this.names.add(name);
    this.changed();
    seek($("change-kinds"), `[data-change="${name}"]`)?.focus();
  }

  /** Draw the toggles, and count if there is something else to count. */
  draw() {
    $("change-kinds").replaceChildren(
      ...KINDS.map(([name, kinds, words, help]) => {
        const known = kinds.flatMap((kind) => this.counts.get(kind) ?? []);
        const counts = known.map(({ count }) => count),
          isKnown = known.length === kinds.length && !counts.includes(null);
        const sum = counts.reduce((/** @type {number} */ all, count) => all + (count ?? 0), 0).toLocaleString("en");
        const each = kinds.map((kind, at) => `${EACH[kind]}: ${counts[at]?.toLocaleString("en")}`).join(", ");
        const why = known.find(({ reason }) => reason)?.reason;
        const isNone = isKnown && counts.every((count) => !count);
        const told = isNone ? NONE[Number(REGIONS.includes(name))] : kinds.length > 1 ? `${sum} (${each})` : sum;
        const title = isKnown ? `${help}: ${told}` : why ? `${help}: ${why}` : help;
        const about = { "data-change": name, "aria-pressed": String(this.names.has(name)), title };
        const number = isKnown ? [" ", el("small", { class: "count" }, isNone ? "none" : sum)] : [];
        const isOff = isNone && !this.names.has(name) && !REGIONS.includes(name);
        return el("button", { ...about, disabled: isOff, onclick: () => this.toggle(name) }, words, ...number);
      }),
    );
  }

  /** Count the changes of each kind after a moment, unless they are counted; the last question counts. */
  count() {
    const request = { ...this.request(), kinds: KINDS.flatMap(([, kinds]) => kinds) },
      asked = JSON.stringify(request);
    if (asked === this.asked) return;
    this.asked = asked;
    this.counts = new Map();
    this.draw();
    this.asking?.abort();
    const own = (this.asking = new AbortController());
    setTimeout(() => this.#ask(request, own).catch(() => {}), WAIT_MS); // a kind without a number is tried all the same
  }

  /** @param {object} request @param {AbortController} own */
  async #ask(request, own) {
    if (own.signal.aborted) return;
    for await (const found of ask("change_counts", { ...request, lane: "counts" }, own.signal)) {
      if (own.signal.aborted || !found.kind) return;
      this.counts.set(found.kind, found);
      const held = seek($("change-kinds"), ":focus")?.dataset.change;
      this.draw();
      if (held) seek($("change-kinds"), `[data-change="${held}"]`)?.focus();
    }
  }
}
