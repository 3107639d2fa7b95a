// The play of a puzzle part by part, as pages for players have it.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { PlayParts } from "../../../plugins/publishing/src/epcg_publishing/site/static/parts.js";

/** Two cells that a touch turns (open, dark, light, open); light may stay open. The first is dark, the other light. */
const CELL = (/** @type {number} */ cell, /** @type {number} */ why) => (
  /** @type {PartTables["parts"][0]} */ ([
    [[], [[3 * cell, 1]], 0],
    [[[cell, 1]], [[3 * cell + 1, 2]], cell ? why : 0],
    [[[cell, 2]], [[3 * cell + 2, 0]], cell ? 0 : why],
  ])
);
/** @type {PartTables} */
const TABLES = {
  palette: [], marks: [[], ["dark"], ["light"], ["clue"]], words: ["", "A wrong mark.", "By the clue."],
  sites: ["a", "b"].map((name) => /** @type {Site} */ ([name, "cell", [], name])),
  scene: { marks: { b: ["clue"] }, paths: [], note: "" },
  gestures: ["a", "b"].flatMap((name, site) => ["dark", "light", "open"].map((mark) => (
    /** @type {PartTables["gestures"][0]} */ ([[site], [], `${name}: ${mark}`])))),
  parts: [CELL(0, 1), CELL(1, 1)], goals: [[[1], [0, 2]]], hints: [[0, 2]], goal: 0, positions: 9, complete: true,
};
const play = (/** @type {Partial<PartTables>} */ more = {}) => new PlayParts({ ...TABLES, ...more });

test("an action changes its own part, and what that looks like", () => {
  const found = play(), [first, second] = found.actions([0, 0]);
  assert.deepEqual([first, second].map(({ text, to, sites }) => [text, to, sites]), [
    ["a: dark", [1, 0], ["a"]], ["b: dark", [0, 1], ["b"]],
  ]);
  assert.deepEqual(found.scene([0, 0]).marks, { b: ["clue"] });
  assert.deepEqual(found.scene([2, 1]).marks, { a: ["light"], b: ["dark"] });
});

test("what may stay open need not be written, and nothing is done after the end", () => {
  const found = play();
  assert.deepEqual([[1, 0], [1, 2], [1, 1], [0, 0]].map((here) => found.solved(here)), [true, true, false, false]);
  assert.deepEqual(found.actions([1, 0]), []);
  assert.equal(found.hint([1, 0]), null);
});

test("a hint is the next action of the solution, with its reason", () => {
  assert.deepEqual(play().hint([0, 2]), { number: 0, why: "By the clue." });
});

test("a wrong mark comes first, and is turned until it is right", () => {
  const found = play();
  assert.deepEqual(found.hint([0, 1]), { number: 1, why: "A wrong mark." });
  assert.deepEqual(found.hint([2, 0]), { number: 0, why: "A wrong mark." });
  assert.deepEqual([found.distance([2, 1]), found.distance([0, 0]), found.distance([1, 0])], [3, 1, 0]);
});

test("of several goals the nearest one counts, and a reason is told of its own goal only", () => {
  const found = play({ goals: [[[1], [0, 2]], [[2], [1]]] });
  assert.deepEqual(found.hint([2, 0]), { number: 1, why: "" });
  assert.equal(found.distance([2, 1]), 0);
});

test("where there is no goal, nothing is hinted at", () => {
  const found = play({ goals: [], hints: [], goal: -1 });
  assert.deepEqual([found.hint([0, 0]), found.best([0, 0]), found.distance([0, 0])], [null, -1, -2]);
});
