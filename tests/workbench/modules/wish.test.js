// What a wish says: its usual measure, its conditions, and what requests have.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import {
  asked, begun, boundOf, bounded, fixed, lacking, numberOf, numbersOf, offered, usual,
} from "../../../plugins/workbench/src/epcg_workbench/static/wish_value.js";
import { measure } from "./fakes.js";

/** @type {Wish} */
const WISH = { metric: "", keep: "highest", count: 5, where: [], then: [] };

test("the usual measure is the number that the domain tells first, whatever it is called", () => {
  const measures = [
    measure({ metric: "moves" }),
    measure({ metric: "solvable", kind: "bool", headline: 1 }),
    measure({ metric: "glow", headline: 3 }),
    measure({ metric: "shine", headline: 2 }),
  ];
  assert.equal(usual(measures)?.metric, "shine");
});

test("the usual measure is one of which more is better, if any is told first", () => {
  const fewest = measure({ metric: "solutions", direction: "min", headline: 1 });
  assert.equal(usual([fewest, measure({ metric: "rounds" }), measure({ metric: "step", headline: 4 })])?.metric, "step");
  assert.equal(usual([fewest, measure({ metric: "rounds" })])?.metric, "solutions");
});

test("a wish begins with the better end, and without what is nothing at all", () => {
  const ways = measure({ metric: "ways", direction: "min", headline: 1, at_least: 0 });
  const begun = offered(WISH, [ways]), { where } = begun;
  assert.deepEqual([begun.metric, begun.keep, where], ["ways", "lowest", [{ metric: "ways", min: 1 }]]);
  assert.equal(offered(begun, [ways]).where.length, 1);
  assert.deepEqual(offered({ ...begun, keep: "highest", where: [] }, [ways]), { ...begun, keep: "highest", where: [] });
  const most = offered(WISH, [measure({ metric: "moves", headline: 1, at_least: 0 })]);
  assert.deepEqual([most.metric, most.keep, most.where], ["moves", "highest", []]);
  const score = measure({ metric: "score", direction: "min", kind: "real", headline: 1, at_least: 0 });
  assert.deepEqual(offered(WISH, [score]).where, []); // a score of 0 may be the best one
});

test("without a headline the first number is usual, without a number the first measure", () => {
  const yes = measure({ metric: "yes", kind: "bool" });
  assert.equal(usual([yes, measure({ metric: "size" })])?.metric, "size");
  assert.equal(usual([yes])?.metric, "yes");
  assert.equal(usual([]), undefined);
});

test("a wish keeps what the measures have, and gets a measure if its own is gone", () => {
  const where = [{ metric: "size", min: 3 }, { metric: "gone", max: 1 }], then = ["gone", "size"];
  const found = offered({ ...WISH, metric: "gone", where, then }, [measure({ metric: "size" })]);
  assert.deepEqual(found, { ...WISH, metric: "size", where: [where[0]], then: ["size"] });
});

test("requests have no condition without its number, and no empty order", () => {
  const found = asked({ ...WISH, where: [begun("size", false), begun("yes", true)], then: [""], apart: "" });
  assert.deepEqual(found, { ...WISH, where: [{ metric: "yes", equals: true }], then: [] });
  assert.equal(asked({ ...WISH, apart: 2 }).apart, 2);
});

test("a condition is at least, at most, exactly, one of, or from a number to another", () => {
  const bounds = ["min", "max", "equals", "both", "among"];
  assert.deepEqual(bounds.map((bound) => boundOf(bounded("size", /** @type {"min"} */ (bound), 4))), bounds);
  assert.equal(numberOf(bounded("size", "among", 4), "among"), 4);
  assert.equal(numberOf({ metric: "size", min: 4 }, "min"), 4);
  assert.ok(Number.isNaN(numberOf(bounded("size", "both", 4), "max")));
});

test("one of several numbers is asked for when all are numbers", () => {
  assert.deepEqual(numbersOf("2, 3; 5"), [2, 3, 5]);
  assert.ok(Number.isNaN(numbersOf(" ")[0]));
  const one = { metric: "size", among: numbersOf("2, x") }, other = { metric: "size", among: [2, 3] };
  assert.deepEqual(asked({ ...WISH, where: [one, other] }).where, [other]);
});

test("a condition says what it lacks, until which it is left out", () => {
  const left = ": until then this condition is left out.";
  assert.equal(lacking(begun("size", false)), `Type a number${left}`);
  assert.equal(lacking(bounded("size", "both", 4)), `Type both numbers${left}`);
  assert.equal(lacking({ metric: "size", among: numbersOf("2, x") }), `Type numbers, with commas between them${left}`);
  for (const whole of [begun("yes", true), bounded("size", "max", 0), { metric: "side", equals: "left" }])
    assert.equal(lacking(whole), "");
});

test("what a question says and no control can change is told in words", () => {
  assert.equal(fixed({ metric: "size", min: 3, max: 4 }), "");
  assert.equal(fixed({ metric: "size", among: [2, 3] }), "");
  assert.equal(fixed({ metric: "size", above: 3, below: 9 }), "above 3 and below 9");
  assert.equal(fixed({ metric: "size", absent: true }), "has no value");
  assert.equal(fixed({ metric: "side", among: ["left"], without: [2] }), "one of left and not 2");
});
