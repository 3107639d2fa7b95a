// Suggestions: changes as pictures with the changed places outlined; what they give, and what is known of them.
// @ts-check
import { $, el } from "./base.js";
import { icon } from "./drawing.js";
import { counted, shown, titled } from "./words.js";

/** @typedef {import("./changes.js").Seen} Seen */

/** @type {Record<string, [title: string, why: string]>} */
const FURTHER = {
  highest: ["More", "no such change gives more"],
  lowest: ["Less", "no such change gives less"],
  different: ["Most different", "over all measures of this kind, each by its share of the range"],
  solvable: ["Gives it a value", "it has none now"],
  redundant: ["Can be left out", "the value stays"],
};
/** In the order in which they are told; of a measure of which less is better, what gives less comes first. */
const KINDS = Object.keys(FURTHER);
export const PIN = "M5 2h6M6 2v5l-2 3h8l-2-3V2M8 10v4";

/** The suggestions of the panel Changes, and what is pinned of them. */
export class Suggestions {
  /** @param {State} state @param {import("./changes.js").ChangesPanel} panel */
  constructor(state, panel) {
    this.state = state;
    this.panel = panel;
    /** @type {Change[]} */ this.pins = [];
  }

  /** Forget what is pinned of another content. */
  reset() {
    this.pins = [];
    $("pins").replaceChildren();
  }

  /** Say if the best suggestions give what there is already. @param {Change[]} listed @param {Seen} seen */
  kept(listed, seen) {
    const own = seen.owns[seen.metric];
    if (!seen.wished.length || own === undefined || own === null || listed[0].value !== own) return [];
    const end = seen.keep === "lowest" ? "less" : "more";
    const words = `No change gives ${end} than ${this.#named(seen.metric, own)}, which it has now: these keep it.`;
    return [el("p", { class: "muted", id: "keeps" }, words)];
  }

  /** @param {Seen} seen @param {Effects} message */
  tried(seen, message) {
    const end = seen.keep === "lowest" ? "less" : "more";
    const words = seen.where ? `no such change that meets the wish gives ${end}` : `no such change gives ${end}`;
    return el("p", { class: "muted tried" }, `${message.tried}: ${words}.`);
  }

  /**
   * Suggestions as pictures, the changed places outlined; more if asked.
   * @param {Suggestion[]} listed @param {Seen} seen
   */
  tiles(listed, seen) {
    const list = el("ul", { class: "tiles wished", "data-kind": "wish" });
    const add = (/** @type {number} */ start, /** @type {number} */ stop) => {
      list.append(...listed.slice(start, stop).map((change) => this.#tile(change, seen)));
    };
    const count = Math.min(this.panel.wish.wish.count, this.#better(listed, seen) || Infinity);
    add(0, count);
    if (listed.length <= count) return list;
    const words = `${(listed.length - count).toLocaleString("en")} more`;
    const show = () => {
      more.remove();
      add(count, listed.length);
    };
    const more = el("button", { class: "link", id: "more-suggestions", onclick: show }, words);
    return el("div", {}, list, more);
  }

  /** What the values of a measure are called, if they are kinds of something. @param {string} metric */
  #words(metric) { return this.panel.wish.measure(metric)?.words ?? []; }

  /** A value of a measure. @param {string} metric @param {Value} value @param {string} [reason] */
  #named(metric, value, reason) { return shown(value, reason, this.#words(metric)); }

  /** How many of the first suggestions are better than what there is. @param {Change[]} listed @param {Seen} seen */
  #better(listed, seen) {
    const own = seen.owns[seen.metric],
      worse = seen.keep === "lowest" ? -1 : 1;
    if (!seen.wished.length || typeof own !== "number") return 0;
    return listed.filter((change) => (Number(change.value) - own) * worse > 0).length;
  }

  /** @param {Suggestion} change @param {Seen} seen */
  #tile(change, seen) {
    const small = el("epcg-board"), { bench } = this.state, { wish } = this.panel;
    const metric = seen.wished.length ? seen.metric : (seen.allowed?.metric ?? ""),
      own = seen.owns[metric];
    const gain =
      typeof change.value === "number" && typeof own === "number" && change.value !== own && !this.#words(metric).length
        ? ` ${change.value > own ? "+" : "−"}${shown(Math.abs(change.value - own))}`
        : "";
    const rest = Object.entries(change.values ?? {}).filter(([name]) => name !== metric);
    const others = rest.map(([name, value]) => `${wish.title(name)} ${this.#named(name, value)}`).join(", ");
    const value = titled(wish.title(metric), change.value, change.reason, this.#words(metric));
    const words = el(
      "span",
      { class: "told" },
      el("b", {}, value),
      el("span", { class: "gain" }, gain),
      el("br"),
      change.description,
    );
    const take = this.button(change, small, words);
    if (others) take.append(el("small", { class: "muted" }, others));
    const go = { title: "Take it, and look at its changes", onclick: () => this.panel.take(change, true) };
    const on = el("button", go, "Go on");
    const pin = el(
      "button",
      { title: "Pin: keep it in view", "aria-label": "Pin", onclick: () => this.#pin(change) },
      icon(PIN),
    );
    small.show({ ...bench.scene, marks: change.marks, paths: change.paths, note: "" }, bench.palette);
    small.choose(change.sites);
    return el("li", {}, take, el("p", { class: "row" }, on, pin));
  }

  /** Suggestions of other kinds, folded. @param {Effects} message @param {Seen} seen */
  further(message, seen) {
    const parts = [];
    const isFewer = this.panel.wish.measure(seen.metric)?.direction === "min";
    for (const kind of isFewer ? ["lowest", ...KINDS.filter((each) => each !== "lowest")] : KINDS) {
      const [title, why] = FURTHER[kind];
      const own = (message.suggestions ?? []).filter((each) => each.kind === kind);
      if (!own.length || (kind === seen.keep && !seen.where)) continue;
      const rows = own.map((change) => {
        const pin = el("button", { title: "Keep it in view", onclick: () => this.#pin(change) }, "Pin");
        return el("li", {}, this.button(change), " ", pin);
      });
      const of =
        kind === "redundant" || kind === "solvable"
          ? ","
          : kind === "different"
            ? ""
            : ` ${this.panel.wish.title(seen.metric)}`;
      parts.push(
        el("p", { class: "kind" }, `${title}${of} of all ${counted(message.total, "change")}`),
        el("ul", { class: "plain", "data-kind": kind }, ...rows),
        el("p", { class: "muted" }, `${message.tried}: ${why}.`),
      );
    }
    const none = el("p", { class: "muted" }, "No change gives another value.");
    if (!parts.length) return seen.wished.length || seen.where ? [] : [none];
    const words = seen.where ? "Further suggestions, whatever the conditions say" : "Further suggestions";
    return [el("details", { open: !seen.wished.length }, el("summary", {}, words), ...parts)];
  }

  /**
   * A change that can be looked at and taken.
   * @param {Change} change @param {Child} [picture] @param {Child} [words]
   */
  button(change, picture = "", words = "") {
    const look = () => this.panel.look(change),
      back = () => this.panel.back();
    const about = { onpointerenter: look, onpointerleave: back, onfocus: look, onblur: back };
    const value = this.#named(this.panel.wish.wish.metric, change.value, change.reason);
    const told = words || `${value}: ${change.description}`;
    return el("button", { class: "change", onclick: () => this.panel.take(change), ...about }, picture, told);
  }

  /** @param {Change} change */
  #pin(change) {
    this.pins.push(change);
    const rows = this.pins.map((each) => el("li", {}, this.button(each)));
    $("pins").replaceChildren(el("p", { class: "kind" }, "Pinned"), el("ul", { class: "plain" }, ...rows));
  }
}
