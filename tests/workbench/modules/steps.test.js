// The histories of a content outside of projects: a tree of texts, and locks beside it.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { BenchSteps } from "../../../plugins/workbench/src/epcg_workbench/static/bench_steps.js";
import { LockSteps } from "../../../plugins/workbench/src/epcg_workbench/static/lock_steps.js";
import { nothing } from "./fakes.js";

/** A bench with its history after some texts. @param {string[]} texts */
function drawn(...texts) {
  /** @type {Pick<Bench, "ofProject" | "text" | "nodes" | "at" | "palette" | "locked">} */
  const bench = { ofProject: false, text: "", nodes: [], at: -1, palette: [], locked: new Set() };
  const steps = new BenchSteps({ bench }, ({ text }) => { bench.text = text; });
  for (const text of texts) steps.take({ text, scene: nothing() }, text);
  return { bench, steps };
}

test("undo and redo go along the branch that was drawn last", () => {
  const { bench, steps } = drawn("a", "b");
  steps.undo();
  steps.take({ text: "c", scene: nothing() }, "c");
  steps.undo();
  assert.equal(bench.text, "a");
  assert.equal(steps.canUndo, false);
  steps.redo();
  assert.equal(bench.text, "c");
});

test("a branch has a lane of its own, and what was undone stays", () => {
  const { steps } = drawn("a", "b");
  steps.undo();
  steps.take({ text: "c", scene: nothing() }, "c");
  assert.deepEqual(steps.rows().map(({ label, lane }) => [label, lane]), [["c", 1], ["b", 0], ["a", 0]]);
  steps.go("1");
  assert.equal(steps.rows()[1].isCurrent, true);
});

test("a text that is there already is no step", () => {
  const { steps } = drawn("a", "a");
  assert.equal(steps.rows().length, 1);
});

test("the oldest step goes when there are more than five hundred", () => {
  const { bench, steps } = drawn(...Array.from({ length: 502 }, (_, number) => String(number)));
  assert.equal(bench.nodes.length, 500);
  assert.equal(steps.rows().at(-1)?.label, "2");
  while (steps.canUndo) steps.undo();
  assert.equal(bench.text, "2");
});

test("a lock is taken back before the step that it was done at", () => {
  const { bench, steps } = drawn("a", "b"), locks = new LockSteps({ bench }, () => steps, () => {});
  bench.locked.add("c1,1");
  locks.did(["c1,1"], true);
  locks.undo();
  assert.deepEqual([...bench.locked], []);
  assert.equal(bench.text, "b");
  locks.redo();
  assert.deepEqual([...bench.locked], ["c1,1"]);
  locks.undo();
  locks.undo();
  assert.equal(bench.text, "a");
});

test("a lock that was taken back is not done again after something else", () => {
  const { bench, steps } = drawn("a"), locks = new LockSteps({ bench }, () => steps, () => {});
  bench.locked.add("c1,1");
  locks.did(["c1,1"], true);
  locks.undo();
  locks.branch();
  assert.equal(locks.canRedo, false);
});
