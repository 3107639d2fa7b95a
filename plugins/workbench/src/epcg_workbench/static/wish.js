// A wish as a sentence of controls: what to keep, where what holds, an order among equals, how far apart.
// @ts-check
import { all, el, seek } from "./base.js";
import { foremost } from "./foremost.js";
import { folded } from "./more.js";
import {
  BOUNDS, asked, begun, boundOf, bounded, fixed, isYesNo, lacking, numberOf, numbersOf, offered,
} from "./wish_value.js";
import { counted, figures } from "./words.js";

const APART = ["", "2 places", "3 places", "4 places", "10 %", "30 %", "50 %"];
const MOST = 60, MOST_THEN = 3;
/** What can be kept of a measure, and of one that answers with yes or no. */
const ENDS = [["highest", "highest"], ["lowest", "lowest"]], ANSWERS = [["highest", "yes to"], ["lowest", "no to"]];

/** @typedef {{count: HTMLInputElement, end: HTMLSelectElement, metric: HTMLSelectElement}} Opening */
/** How many may be kept, whether only numbers can be ranked by, the rows that stand in front of the conditions, and
 * what can be kept instead of both ends. @typedef {{most?: number, numbers?: boolean, ends?: string[][],
 *   rows?: (parts: Opening) => Child[]}} Options */

/** The sentence of one wish. Other parts of the page find its controls by ids, which begin with a prefix. */
export class WishForm {
  /**
   * @param {HTMLElement} holder @param {string} prefix @param {() => void} changed @param {Options} [options]
   */
  constructor(holder, prefix, changed, options = {}) {
    this.holder = holder; this.prefix = prefix; this.changed = changed; this.options = options;
    /** @type {Measure[]} */ this.measures = [];
    /** @type {Map<string, string>} Reasons, by evaluator that does not apply to the content. */
    this.refused = new Map();
    /** @type {Wish} */ this.wish = { metric: "", keep: "highest", count: 5, where: [], then: [] };
  }

  /** Offer the measures of a domain; what was wished for stays as far as they have it. @param {Measure[]} measures */
  offer(measures) {
    this.measures = measures;
    this.refused.clear();
    Object.assign(this.wish, offered(this.wish, measures));
    this.#draw();
  }

  /**
   * Say why an evaluator has no measures of the content, or that it has some.
   * @param {string} evaluator @param {string} [reason]
   */
  refuse(evaluator, reason) {
    if ((this.refused.get(evaluator) ?? "") === (reason ?? "")) return;
    if (reason) this.refused.set(evaluator, reason); else this.refused.delete(evaluator);
    for (const option of this.holder.querySelectorAll("option")) {
      if (option.dataset.evaluator !== evaluator) continue;
      option.disabled = Boolean(reason);
      if (reason) option.title = reason;
    }
  }

  /** The measure that is ranked by, as "evaluator/metric". */
  get choice() {
    const measure = this.measure(this.wish.metric);
    return measure ? `${measure.evaluator}/${measure.metric}` : "";
  }

  /** The wish as requests and queries have it. */
  value() { return asked(this.wish); }

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

  /** How many conditions are left out because they lack a number. */
  get lacking() { return this.wish.where.filter(lacking).length; }

  /** Whether no condition lacks a number; the first one that does gets the focus, and tells it. */
  isWhole() {
    const at = this.wish.where.findIndex(lacking);
    if (at < 0) return true;
    this.holder.querySelector(`#${this.prefix}condition-${at}-lacks`)?.classList.replace("muted", "bad");
    const fields = [...this.holder.querySelectorAll(`[data-condition="${at}"] input`)];
    const field = fields.find((each) => each instanceof HTMLInputElement && !each.value) ?? fields[0];
    if (field instanceof HTMLElement) field.focus();
    return false;
  }

  get #controls() { return all(this.holder, "select, input, button"); }

  /** @param {string} name @returns {Measure | undefined} */
  measure(name) { return this.measures.find((each) => each.metric === name); }

  /** The title of a measure. @param {string} name */
  title(name) { return this.measure(name)?.title ?? name.replaceAll("_", " "); }

  /** Whether a measure answers with yes or no. @param {string} name */
  #isYesNo(name) { return isYesNo(this.measure(name)); }

  /** The option of a measure. @param {Measure} measure @param {string} chosen */
  #measured({ evaluator, metric, title, description }, chosen) {
    const reason = this.refused.get(evaluator), value = `${evaluator}/${metric}`;
    const about = { value, title: reason ?? description };
    const state = { "data-evaluator": evaluator, disabled: Boolean(reason), selected: metric === chosen };
    return el("option", { ...about, ...state }, title);
  }

  /**
   * A select of measures, those first that people ask for first.
   * @param {Attributes} about @param {string} own the measure that is chosen @param {(name: string) => void} chosen
   * @param {{numbers?: boolean, before?: HTMLElement[]}} [more] only what can be an order; options in front
   */
  #choice(about, own, chosen, { numbers = false, before = [] } = {}) {
    const offered = this.measures.filter((each) => !numbers || !isYesNo(each) || each.metric === own);
    const [first, rest] = foremost(offered).map((some) => some.map((each) => this.#measured(each, own)));
    return folded(this.#select(about, [], chosen), [...before, ...first], rest, "more measures …");
  }

  /**
   * A select of measures, or of words.
   * @param {Attributes} about @param {Child[]} options @param {(name: string) => void} chosen
   */
  #select(about, options, chosen) {
    const made = el("select", about, ...options);
    made.onchange = () => chosen(made.value.split("/").slice(1).join("/") || made.value);
    return made;
  }

  #draw() {
    const { prefix, wish } = this, focused = document.activeElement;
    const at = this.#controls.findIndex((each) => each === focused);
    const most = this.options.most ?? MOST;
    const many = { id: `${prefix}keep-count`, type: "number", min: "1", max: most, value: wish.count };
    const count = el("input", { ...many, "aria-label": "How many to keep" });
    const told = el("p", { class: "bad", id: `${prefix}keep-told`, role: "status", hidden: true });
    count.onchange = () => {
      const typed = Number(count.value), isOne = Number.isInteger(typed) && typed >= 1 && typed <= most;
      if (isOne) return this.set({ count: typed }, true);
      const can = `a whole number from 1 to ${figures(most)} can. It is ${figures(wish.count)}.`;
      told.textContent = `${count.value || "That"} cannot be kept: ${can}`;
      told.hidden = false;
      count.value = String(wish.count);
      return undefined;
    };
    const known = this.options.ends ?? (this.#isYesNo(wish.metric) ? ANSWERS : ENDS);
    const ends = known.map(([value, words]) => this.#option(value, words, wish.keep));
    const end = this.#select({ id: `${prefix}keep`, "aria-label": "Which end" }, ends, (keep) => this.set({ keep }));
    const chosen = (/** @type {string} */ metric) => this.set({ metric });
    const about = { id: `${prefix}metric`, "aria-label": "Measure" };
    const metric = this.#choice(about, wish.metric, chosen, this.options);
    const add = { class: "link", id: `${prefix}add-condition`, onclick: () => this.#add() };
    const more = el("button", add, "+ condition");
    const usual = () => [el("p", { class: "row" }, el("span", { class: "lead" }, "Keep"), count, end, metric)];
    this.holder.replaceChildren(
      ...(this.options.rows?.({ count, end, metric }) ?? usual()),
      told,
      ...wish.where.flatMap((each, at) => this.#condition(each, at)),
      ...(this.measures.length
        ? [el("p", { class: "row ties" }, el("span", { class: "lead" }), more, ...this.#ties(), this.#apart())]
        : []),
    );
    if (at < 0) return;
    const same = focused?.id ? seek(this.holder, `#${CSS.escape(focused.id)}`) : null;
    (same ?? this.#controls[Math.min(at, this.#controls.length - 1)])?.focus();
  }

  #add() {
    const { where, metric } = this.wish;
    const taken = new Set([metric, ...where.map((each) => each.metric)]);
    const free = (/** @type {Measure} */ each) => !this.refused.has(each.evaluator);
    const known = foremost(this.measures).flat();
    const next = known.find((each) => free(each) && !taken.has(each.metric)) ?? this.measure(metric);
    if (!next) return;
    this.set({ where: [...where, this.#begun(next.metric)] });
    seek(this.holder, `[data-condition="${where.length}"] select`)?.focus();
  }

  /** One condition, as a row, and what it lacks. @param {Condition} condition @param {number} at */
  #condition(condition, at) {
    const { wish } = this;
    const put = (/** @type {Condition | null} */ other, isTyped = false) => {
      this.set({ where: wish.where.flatMap((each, n) => (n !== at ? [each] : other ? [other] : [])) }, isTyped);
    };
    const id = `${this.prefix}condition-${at}`, about = { id, "aria-label": "Measure of the condition" };
    const chosen = (/** @type {string} */ name) => put(this.#begun(name));
    const measure = this.#choice(about, condition.metric, chosen);
    const yes = this.#isYesNo(condition.metric), told = fixed(condition);
    const parts = told ? [el("span", { class: "fixed" }, told)]
      : yes ? [this.#answer(condition, id, put)] : this.#bound(condition, id, put);
    const words = "Remove this condition";
    const remove = { class: "link", title: words, "aria-label": words, onclick: () => put(null) };
    const lead = el("span", { class: "lead" }, at ? "and" : "where");
    const row = el("p", { class: "row", "data-condition": at }, lead, measure, ...parts, el("button", remove, "×"));
    const lacks = yes || told ? "" : lacking(condition);
    if (!lacks) return [row];
    for (const part of parts) part.setAttribute("aria-describedby", `${id}-lacks`);
    return [row, el("p", { class: "muted", id: `${id}-lacks`, role: "status" }, lacks)];
  }

  /** A condition to begin with. @param {string} metric */
  #begun(metric) { return begun(metric, this.#isYesNo(metric)); }

  /** @param {string} value @param {string} words @param {string} chosen */
  #option(value, words, chosen) { return el("option", { value, selected: value === chosen }, words); }

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
    const own = boundOf(condition), both = own === "both", number = numberOf(condition, both ? "min" : own);
    const { metric } = condition;
    /** @param {string} what @param {number} value @param {(number: number) => void} take */
    const field = (what, value, take) => {
      const about = { id: `${id}-${what}`, type: "number", step: "any", "aria-label": "Number of the condition" };
      const made = el("input", { ...about, value: Number.isNaN(value) ? "" : value });
      made.onchange = () => take(made.value === "" ? NaN : Number(made.value));
      return made;
    };
    const set = (/** @type {string} */ key, /** @type {number} */ value, isTyped = false) => {
      put(bounded(metric, /** @type {import("./wish_value.js").Bound} */ (key), value), isTyped);
    };
    const options = Object.entries(BOUNDS).map(([value, words]) => this.#option(value, words, own));
    const how = { id: `${id}-how`, "aria-label": "At least, at most, exactly, from or one of" };
    const words = this.#select(how, options, (key) => set(key, number));
    if (own === "among") {
      const among = (condition.among ?? []).filter((each) => !Number.isNaN(each)).join(", ");
      const about = { id: `${id}-number`, class: "several", "aria-label": "Numbers of the condition" };
      const made = el("input", { ...about, placeholder: "2, 3, 5", value: among });
      made.onchange = () => put({ metric, among: numbersOf(made.value) }, true);
      return [words, made];
    }
    if (!both) return [words, field("number", number, (value) => set(own, value, true))];
    const last = numberOf(condition, "max");
    return [words, field("number", number, (value) => put({ metric, min: value, max: last }, true)),
      el("span", {}, "to"),
      field("last", last, (value) => put({ metric, min: number, max: value }, true))];
  }

  /** The measures that order candidates with equal values. */
  #ties() {
    const { then } = this.wish;
    const shown = [...then, ""].slice(0, MOST_THEN);
    return shown.map((name, at) => {
      const chosen = (/** @type {string} */ other) => {
        this.set({ then: [...then.slice(0, at), other, ...then.slice(at + 1)].filter(Boolean) });
      };
      const about = { id: `${this.prefix}then-${at}`, "aria-label": "Order among equals" };
      const before = [this.#option("", at ? "–" : "any order", name)];
      const made = this.#choice(about, name, chosen, { numbers: true, before });
      return el("label", {}, at ? "then " : "ties: ", made);
    });
  }

  /** How far apart kept ones are. */
  #apart() {
    const own = this.wish.apart;
    const told = typeof own === "number" ? counted(own, "place") : own ?? "";
    const known = APART.includes(told) ? APART : [...APART, told];
    const options = known.map((each) => this.#option(each, each ? `${each} apart` : "may be alike", told));
    const chosen = (/** @type {string} */ value) => {
      this.set({ apart: / places?$/.test(value) ? Number(value.split(" ")[0]) : value || undefined });
    };
    return this.#select({ id: `${this.prefix}apart`, "aria-label": "How unlike each other" }, options, chosen);
  }
}

/**
 * The answer to a wish: how many meet it, and what stands in the way of the others.
 * @param {WishAnswer} answer
 * @param {Allowed} [allowed] what other conditions allow @param {Child[]} [actions] what one could do instead
 * @param {number} [left] how many conditions were left out, because they lack a number
 */
export function verdict(answer, allowed, actions = [], left = 0) {
  const met = answer.met !== 0;
  /** @type {HTMLElement[]} */ const parts = [el("p", { class: met ? "verdict" : "verdict none" }, answer.text)];
  const add = (/** @type {number | undefined} */ number, /** @type {string} */ words) => {
    if (number) parts.push(el("p", { class: "muted" }, `${number.toLocaleString("en")} ${words}.`));
  };
  if (left) {
    const told = counted(left, "condition is left out: it lacks", "conditions are left out: they lack");
    parts.push(el("p", { class: "bad" }, `${told} a number.`));
  }
  if (answer.ties) parts.push(el("p", { class: "muted" }, answer.ties));
  add(answer.impossible, "further combinations make no content, or one that fewer changes make");
  const { conditions = [] } = answer;
  if (!met && conditions.length > 1) {
    const most = Math.max(1, ...conditions.map((each) => each.others));
    const rows = conditions.map((each) => {
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
