// Which part of a list comes first.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { divided, foremost } from "../../../plugins/workbench/src/epcg_workbench/static/foremost.js";
import { measure } from "./fakes.js";

const names = (/** @type {Measure[]} */ some) => some.map(({ metric }) => metric);

test("measures that the domain tells first come first, the rest behind them in its order", () => {
  const all = ["b", "a", "d", "c"].map((metric) => measure({ metric, headline: metric < "c" ? 1 : 0 }));
  assert.deepEqual(foremost(all).map(names), [["b", "a"], ["d", "c"]]);
});

test("a question that measures none of them has its own in front", () => {
  const all = [{ ...measure({ metric: "own" }), own: true }, measure({ metric: "first", headline: 1 }),
    measure({ metric: "other" })];
  assert.deepEqual(foremost(all).map(names), [["own", "first"], ["other"]]);
});

test("if nothing comes first, all does: no list is only a rest", () => {
  const all = [measure({ metric: "a" }), measure({ metric: "b" })];
  assert.deepEqual(foremost(all).map(names), [["a", "b"], []]);
  assert.deepEqual(foremost([]), [[], []]);
});

test("what belongs to a domain of the project is divided from the rest; without a project nothing is", () => {
  const plans = [{ domains: ["fling"] }, { domains: ["witness", "fling"] }, { domains: ["toys"] }, { domains: [] }];
  const domains = (/** @type {{domains: string[]}} */ each) => each.domains;
  assert.deepEqual(divided(plans, new Set(["fling"]), domains), [plans.slice(0, 2), plans.slice(2)]);
  assert.deepEqual(divided(plans, new Set(), domains), [plans, []]);
});
