// What a wish says, apart from its controls: its usual measure, its conditions, and what requests have. No page.
// @ts-check
import { figures } from "./words.js";

/** Whether a measure answers with yes or no. @param {Pick<Metric, "kind"> | undefined} measure */
export const isYesNo = (measure) => measure?.kind === "bool";

/**
 * The measure to rank by if nothing is wished yet: the number that the domain tells first, of those of which more is
 * better if there are any. (Fewest solutions would be none, fewest clues an empty board.)
 * @template {Pick<Metric, "kind" | "headline" | "direction">} M @param {M[]} measures
 */
export function usual(measures) {
  const numbers = measures.filter((each) => !isYesNo(each)), known = numbers.filter(({ headline }) => headline);
  const rising = known.filter(({ direction }) => direction !== "min"), told = rising.length ? rising : known;
  const first = Math.min(...told.map(({ headline }) => headline));
  return told.find(({ headline }) => headline === first) ?? numbers[0] ?? measures[0];
}

/**
 * What a wish begins with: the usual measure at its better end. Of a count of which less is better, none at all is
 * not wished for: a puzzle with 0 ways to solve it is none.
 * @param {Measure[]} measures @returns {Pick<Wish, "metric" | "keep" | "where">}
 */
function first(measures) {
  const { metric = "", direction, kind, at_least } = usual(measures) ?? {}, isFewest = direction === "min";
  const isCount = isFewest && kind === "int" && at_least === 0;
  return { metric, keep: isFewest ? "lowest" : "highest", where: isCount ? [{ metric, min: 1 }] : [] };
}

/** A wish as far as there are measures for it. @param {Wish} wish @param {Measure[]} measures @returns {Wish} */
export function offered(wish, measures) {
  const known = new Set(measures.map(({ metric }) => metric)), isKnown = known.has(wish.metric);
  const kept = wish.where.filter(({ metric }) => known.has(metric));
  const then = wish.then.filter((metric) => known.has(metric));
  if (isKnown) return { ...wish, where: kept, then };
  const { where, ...begins } = first(measures), limited = new Set(kept.map(({ metric }) => metric));
  return { ...wish, ...begins, where: [...where.filter(({ metric }) => !limited.has(metric)), ...kept], then };
}

/** A wish as requests and queries have it: without what is not filled in yet. @param {Wish} wish @returns {Wish} */
export function asked({ apart, ...wish }) {
  const where = wish.where.filter((each) => !lacking(each));
  const found = { ...wish, where, then: wish.then.filter(Boolean) };
  return apart ? { ...found, apart } : found;
}

/** What a condition lacks, which is left out until then; "" if it is whole. @param {Condition} condition */
export function lacking(condition) {
  if (Object.values(condition).flat().every((part) => !Number.isNaN(part))) return "";
  const one = boundOf(condition) === "both" ? "both numbers" : "a number";
  const needs = "among" in condition ? "numbers, with commas between them" : one;
  return `Type ${needs}: until then this condition is left out.`;
}

/**
 * A condition to begin with; a number is missing yet.
 * @param {string} metric @param {boolean} yes @returns {Condition}
 */
export const begun = (metric, yes) => (yes ? { metric, equals: true } : { metric, min: NaN });

/** The bounds that a condition can have, in words. */
export const BOUNDS = { min: "at least", max: "at most", equals: "exactly", both: "from", among: "one of" };
/** @typedef {keyof typeof BOUNDS} Bound */

/** Which bound a condition has. @param {Condition} condition @returns {Bound} */
export function boundOf(condition) {
  if ("among" in condition) return "among";
  if ("min" in condition && "max" in condition) return "both";
  return "max" in condition ? "max" : "equals" in condition ? "equals" : "min";
}

/** The number of a bound; of several the first. @param {Condition} condition @param {Exclude<Bound, "both">} bound */
export function numberOf(condition, bound) { return Number([condition[bound]].flat()[0] ?? NaN); }

/** The numbers of a text such as "2, 3, 5"; NaN for what is not a number. @param {string} text */
export function numbersOf(text) {
  const found = text.split(/[\s,;]+/).filter(Boolean).map(Number);
  return found.length ? found : [NaN];
}

/** A value of a condition in words. @param {unknown} value */
const told = (value) => (typeof value === "number" ? figures(value) : String(value));

/**
 * What a condition says that no control here can change, in words; "" if the controls say all of it.
 * @param {Condition} condition
 */
export function fixed({ metric: _, min, max, equals, among, ...others }) {
  const listed = among ?? [];
  const odd = typeof equals === "string" || listed.some((each) => typeof each !== "number");
  const mixed = listed.length > 0 && [min, max].some((each) => each !== undefined);
  if (!odd && !mixed && !Object.keys(others).length) return "";
  return [
    others.absent ? "has no value" : "",
    min === undefined ? "" : `at least ${figures(min)}`, max === undefined ? "" : `at most ${figures(max)}`,
    others.above === undefined ? "" : `above ${figures(others.above)}`,
    others.below === undefined ? "" : `below ${figures(others.below)}`,
    equals === undefined ? "" : `exactly ${told(equals)}`, listed.length ? `one of ${listed.map(told).join(", ")}` : "",
    others.without ? `not ${others.without.map(told).join(", ")}` : "",
  ].filter(Boolean).join(" and ");
}

/** A condition with one bound, or from a number. @param {string} metric @param {Bound} bound @param {number} number */
export function bounded(metric, bound, number) {
  if (bound === "among") return { metric, among: [number] };
  return bound === "both" ? { metric, min: number, max: NaN } : { metric, [bound]: number };
}
