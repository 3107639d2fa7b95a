// A wish as a sentence of controls: what to keep, where what holds, an order among equals, how far apart.
// @ts-check
import { counted } from "./words.js";

/** @typedef {{evaluator: string, metric: string, kind: string, title: string, description: string}} Measure */
/** @typedef {{metric: string, min?: number, max?: number, equals?: number | boolean}} Condition */
/** @typedef {{metric: string, keep: string, count: number, where: Condition[], then: string[],
 *   apart?: number | string}} Wish */

const WORDS = { min: "at least", max: "at most", equals: "exactly", both: "from" };
const APART = ["", "2 places", "3 places", "4 places", "10 %", "30 %", "50 %"];
const MOST = 60, MOST_THEN = 3, PREFERRED = /^(moves|solution_length|solutions|completions)$/;
const ENDS = {
  number: [["highest", "highest"], ["lowest", "lowest"]],
  bool: [["highest", "yes to"], ["lowest", "no to"]],
};

/** The sentence of one wish. Other parts of the page find its controls by ids, which begin with a prefix. */
export class WishForm {
  /**
   * @param {HTMLElement} holder @param {string} prefix @param {any} el @param {() => void} changed
   * @param {{most?: number, numbers?: boolean, rows?: (parts: {count: any, end: any, metric: any}) => any[],
   *   ends?: string[][]}} [options] how many may be kept, whether only numbers can be ranked by, the rows that
   *   stand in front of the conditions, and what can be kept instead of both ends
   */
  constructor(holder, prefix, el, changed, options = {}) {
    this.holder = holder; this.prefix = prefix; this.el = el; this.changed = changed; this.options = options;
    /** @type {Measure[]} */ this.measures = [];
    /** @type {Map<string, string>} Reasons, by evaluator that does not apply to the content. */
    this.refused = new Map();
    /** @type {Wish} */ this.wish = { metric: "", keep: "highest", count: 5, where: [], then: [] };
  }

  /** Offer the measures of a domain; what was wished for stays as far as they have it. @param {Measure[]} measures */
  offer(measures) {
    const known = new Set(measures.map((each) => each.metric));
    this.measures = measures;
    this.refused.clear();
    const { wish } = this;
    wish.where = wish.where.filter((each) => known.has(each.metric));
    wish.then = wish.then.filter((each) => known.has(each));
    if (!known.has(wish.metric)) {
      const preferred = measures.find((each) => PREFERRED.test(each.metric));
      wish.metric = (preferred ?? measures[0])?.metric ?? "";
    }
    this.#draw();
  }

  /**
   * Say why an evaluator has no measures of the content, or that it has some.
   * @param {string} evaluator @param {string} [reason]
   */
  refuse(evaluator, reason) {
    if ((this.refused.get(evaluator) ?? "") === (reason ?? "")) return;
    if (reason) this.refused.set(evaluator, reason); else this.refused.delete(evaluator);
    for (const option of this.holder.querySelectorAll("option[data-evaluator]")) {
      if (!(option instanceof HTMLOptionElement) || option.dataset.evaluator !== evaluator) continue;
      option.disabled = Boolean(reason);
      if (reason) option.title = reason;
    }
  }

  /** The measure that is ranked by, as "evaluator/metric". */
  get choice() {
    const measure = this.measure(this.wish.metric);
    return measure ? `${measure.evaluator}/${measure.metric}` : "";
  }

  /** The wish as requests and queries have it. @returns {Wish} */
  value() {
    const where = this.wish.where.filter((each) => Object.values(each).every((part) => !Number.isNaN(part)));
    const apart = this.wish.apart;
    const found = { ...this.wish, where, then: this.wish.then.filter(Boolean) };
    delete found.apart;
    return apart ? { ...found, apart } : found;
  }

  /**
   * Wish for something else.
   * @param {Partial<Wish>} changes
   * @param {boolean} [isTyped] a field was left: it is drawn after the focus has come where it goes
   */
  set(changes, isTyped = false) {
    Object.assign(this.wish, changes);
    if (isTyped) setTimeout(() => this.#draw()); else this.#draw();
    this.changed();
  }

  get #controls() { return [...this.holder.querySelectorAll("select, input, button")]; }

  /** @param {string} name @returns {Measure | undefined} */
  measure(name) { return this.measures.find((each) => each.metric === name); }

  /** The title of a measure. @param {string} name */
  title(name) { return this.measure(name)?.title ?? name.replaceAll("_", " "); }

  #kind(name) { return this.measure(name)?.kind === "bool" ? "bool" : "number"; }

  /** Options of measures. @param {string} chosen @param {boolean} [numbers] only what can be an order */
  #options(chosen, numbers = false) {
    return this.measures.filter((each) => !numbers || each.kind !== "bool").map((each) => {
      const reason = this.refused.get(each.evaluator);
      const value = `${each.evaluator}/${each.metric}`;
      return this.el("option", {
        value, title: reason ?? each.description, "data-evaluator": each.evaluator, disabled: Boolean(reason),
        selected: each.metric === chosen,
      }, each.title);
    });
  }

  /**
   * A select of measures, or of words.
   * @param {Record<string, any>} about @param {any[]} options @param {(name: string) => void} chosen
   */
  #select(about, options, chosen) {
    const made = this.el("select", about, ...options);
    made.onchange = () => chosen(made.value.split("/").slice(1).join("/") || made.value);
    return made;
  }

  #draw() {
    const { el, prefix, wish } = this;
    const focused = document.activeElement, at = this.#controls.indexOf(/** @type {any} */ (focused));
    const most = this.options.most ?? MOST;
    const many = { id: `${prefix}keep-count`, type: "number", min: "1", max: most, value: wish.count };
    const count = el("input", { ...many, "aria-label": "How many to keep" });
    count.onchange = () => this.set({ count: Math.max(1, Math.min(most, Math.round(Number(count.value)) || 1)) }, true);
    const known = this.options.ends ?? ENDS[this.#kind(wish.metric)];
    const ends = known.map(([value, words]) => this.#option(value, words, wish.keep));
    const end = this.#select({ id: `${prefix}keep`, "aria-label": "Which end" }, ends, (keep) => this.set({ keep }));
    const chosen = (/** @type {string} */ metric) => this.set({ metric });
    const about = { id: `${prefix}metric`, "aria-label": "Measure" };
    const metric = this.#select(about, this.#options(wish.metric, this.options.numbers), chosen);
    const add = { class: "link", id: `${prefix}add-condition`, onclick: () => this.#add() };
    const more = el("button", add, "+ condition");
    const usual = () => [el("p", { class: "row" }, el("span", { class: "lead" }, "Keep"), count, end, metric)];
    this.holder.replaceChildren(
      ...(this.options.rows?.({ count, end, metric }) ?? usual()),
      ...wish.where.map((each, at) => this.#condition(each, at)),
      el("p", { class: "row ties" }, el("span", { class: "lead" }), more, ...this.#ties(), this.#apart()),
    );
    if (at < 0) return;
    const same = focused?.id && this.holder.querySelector(`#${CSS.escape(focused.id)}`);
    /** @type {any} */ (same || this.#controls[Math.min(at, this.#controls.length - 1)])?.focus();
  }

  #add() {
    const { where, metric } = this.wish;
    const taken = new Set([metric, ...where.map((each) => each.metric)]);
    const free = (/** @type {Measure} */ each) => !this.refused.has(each.evaluator);
    const next = this.measures.find((each) => free(each) && !taken.has(each.metric)) ?? this.measure(metric);
    if (!next) return;
    this.set({ where: [...where, this.#begun(next.metric)] });
    this.holder.querySelector(`[data-condition="${where.length}"] select`)?.focus();
  }

  /** One condition, as a row. @param {Condition} condition @param {number} at */
  #condition(condition, at) {
    const { el, wish } = this;
    const put = (/** @type {Condition | null} */ other, isTyped = false) => {
      this.set({ where: wish.where.flatMap((each, n) => (n !== at ? [each] : other ? [other] : [])) }, isTyped);
    };
    const id = `${this.prefix}condition-${at}`, about = { id, "aria-label": "Measure of the condition" };
    const chosen = (/** @type {string} */ name) => put(this.#begun(name));
    const measure = this.#select(about, this.#options(condition.metric), chosen);
    const yes = this.#kind(condition.metric) === "bool";
    const parts = yes ? [this.#answer(condition, id, put)] : this.#bound(condition, id, put);
    const words = "Remove this condition";
    const remove = { class: "link", title: words, "aria-label": words, onclick: () => put(null) };
    const lead = el("span", { class: "lead" }, at ? "and" : "where");
    return el("p", { class: "row", "data-condition": at }, lead, measure, ...parts, el("button", remove, "×"));
  }

  /** A condition to begin with; a number is missing yet. @param {string} metric @returns {Condition} */
  #begun(metric) { return this.#kind(metric) === "bool" ? { metric, equals: true } : { metric, min: NaN }; }

  /** @param {string} value @param {string} words @param {string} chosen */
  #option(value, words, chosen) { return this.el("option", { value, selected: value === chosen }, words); }

  /** Yes or no. @param {Condition} condition @param {string} id @param {(other: Condition) => void} put */
  #answer(condition, id, put) {
    const own = String(condition.equals);
    const options = [this.#option("true", "yes", own), this.#option("false", "no", own)];
    const chosen = (/** @type {string} */ value) => put({ metric: condition.metric, equals: value === "true" });
    return this.#select({ id: `${id}-is`, "aria-label": "Yes or no" }, options, chosen);
  }

  /**
   * At least, at most or exactly a number.
   * @param {Condition} condition @param {string} id
   * @param {(other: Condition, isTyped?: boolean) => void} put
   */
  #bound(condition, id, put) {
    const both = "min" in condition && "max" in condition;
    const own = both ? "both" : Object.keys(WORDS).find((key) => key in condition) ?? "min";
    const number = /** @type {number} */ (condition[both ? "min" : own]);
    const { metric } = condition;
    const field = (/** @type {string} */ what, /** @type {number} */ value, /** @type {any} */ take) => {
      const about = { id: `${id}-${what}`, type: "number", step: "any", "aria-label": "Number of the condition" };
      const made = this.el("input", { ...about, value: Number.isNaN(value) ? "" : value });
      made.onchange = () => take(made.value === "" ? NaN : Number(made.value));
      return made;
    };
    const set = (/** @type {string} */ key, /** @type {number} */ value, isTyped = false) => {
      put(key === "both" ? { metric, min: value, max: NaN } : { metric, [key]: value }, isTyped);
    };
    const options = Object.entries(WORDS).map(([value, words]) => this.#option(value, words, own));
    const how = { id: `${id}-how`, "aria-label": "At least, at most, exactly or from" };
    const words = this.#select(how, options, (key) => set(key, number));
    if (!both) return [words, field("number", number, (value) => set(own, value, true))];
    const last = /** @type {number} */ (condition.max);
    return [words, field("number", number, (value) => put({ metric, min: value, max: last }, true)),
      this.el("span", {}, "to"),
      field("last", last, (value) => put({ metric, min: number, max: value }, true))];
  }

  /** The measures that order candidates with equal values. */
  #ties() {
    const { then } = this.wish;
    const shown = [...then, ""].slice(0, MOST_THEN);
    return shown.map((name, at) => {
      const options = [this.#option("", at ? "–" : "any order", name), ...this.#options(name, true)];
      const chosen = (/** @type {string} */ other) => {
        this.set({ then: [...then.slice(0, at), other, ...then.slice(at + 1)].filter(Boolean) });
      };
      const about = { id: `${this.prefix}then-${at}`, "aria-label": "Order among equals" };
      const made = this.#select(about, options, chosen);
      return this.el("label", {}, at ? "then " : "ties: ", made);
    });
  }

  /** How far apart kept ones are. */
  #apart() {
    const own = this.wish.apart;
    const told = typeof own === "number" ? counted(own, "place") : own ?? "";
    const known = APART.includes(told) ? APART : [...APART, told];
    const options = known.map((each) => this.#option(each, each ? `${each} apart` : "alike too", told));
    const chosen = (/** @type {string} */ value) => {
      this.set({ apart: / places?$/.test(value) ? Number(value.split(" ")[0]) : value || undefined });
    };
    return this.#select({ id: `${this.prefix}apart`, "aria-label": "How unlike each other" }, options, chosen);
  }
}

/**
 * The answer to a wish: how many meet it, and what stands in the way of the others.
 * @param {any} el @param {any} answer what the server says: see `wish_message`
 * @param {any} [allowed] what other conditions allow @param {any[]} [actions] what one could do instead
 */
export function verdict(el, answer, allowed, actions = []) {
  const met = answer.met !== 0;
  const parts = [el("p", { class: met ? "verdict" : "verdict none" }, answer.text)];
  const add = (/** @type {number} */ number, /** @type {string} */ words) => {
    if (number) parts.push(el("p", { class: "muted" }, `${number.toLocaleString("en")} ${words}.`));
  };
  if (answer.ties) parts.push(el("p", { class: "muted" }, answer.ties));
  add(answer.impossible, "further combinations make no content, or one that fewer changes make");
  if (!met && answer.conditions?.length > 1) {
    const most = Math.max(1, ...answer.conditions.map((each) => each.others));
    const rows = answer.conditions.map((each) => {
      const bar = el("meter", { min: 0, max: most, value: each.others, "aria-label": each.told });
      const number = el("td", { class: "value" }, each.others.toLocaleString("en"));
      return el("tr", {}, el("td", {}, each.told), el("td", {}, bar), number);
    });
    const table = el("table", { class: "others" }, el("tbody", {}, ...rows));
    parts.push(el("p", { class: "kind" }, "How many meet the others without"), table);
  }
  if (!met && allowed) parts.push(el("p", { class: "muted" }, "The map shows what the other conditions allow."));
  if (!met && actions.length) {
    parts.push(el("p", { class: "kind" }, "What one could do"), el("p", { class: "row" }, ...actions));
  }
  return parts;
}
