// The map of changes: which change a place shows, and how.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { colours } from "../../../plugins/workbench/src/epcg_workbench/static/heat.js";
import { shown } from "../../../plugins/workbench/src/epcg_workbench/static/words.js";

/** A change of a place. @param {Value} value @param {Partial<Change>} [more] @returns {Change} */
const change = (value, more = {}) => (
  { rank: 0, edits: [], sites: ["a"], single: true, description: `to ${value}`, value, reason: "", ...more }
);

/** @typedef {import("../../../plugins/workbench/src/epcg_workbench/static/heat.js").Found} Found */

/** What a place shows. @param {Change[]} changes @param {Partial<Found>} [more] */
const told = (changes, more = {}) => colours({ own: 5, keep: "highest", changes, ...more }, shown).get("a");

test("a place shows its best change", () => {
  assert.equal(told([change(3), change(9), change(7)])?.label, "9");
  assert.equal(told([change(3), change(9), change(7)], { keep: "lowest" })?.label, "3");
});

test("a change that is as wished goes before a better one that is not", () => {
  const found = told([change(9, { fails: [1] }), change(6)]);
  assert.equal(found?.label, "6");
  assert.equal(told([change(9, { fails: [1] })])?.look, "dashed");
  assert.match(told([change(9, { fails: [1] })])?.title ?? "", /not as wished/);
});

test("the condition that no change meets is spared", () => {
  const allowed = { condition: 0, metric: "own", suggestions: [], nearest: null };
  assert.equal(told([change(9, { fails: [1] })], { allowed })?.look, "more4");
});

test("looks are steps of the largest difference", () => {
  const changes = [change(6, { sites: ["a"] }), change(9, { sites: ["b"] }), change(1, { sites: ["c"] })];
  const found = colours({ own: 5, keep: "highest", changes }, shown);
  assert.deepEqual([...found.values()].map(({ look }) => look), ["more1", "more4", "less4"]);
});

test("no value, yes and no have looks of their own", () => {
  assert.equal(told([change(null, { reason: "no solution" })])?.look, "hatched");
  assert.equal(told([change(true)], { own: false })?.look, "yes");
  assert.equal(told([change(false)], { own: true })?.look, "no");
  assert.equal(told([change(true)], { own: true })?.look, "same");
});
