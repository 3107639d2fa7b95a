// What a sketch asks for: limits of marks, places with the same marks, and what no answer keeps.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { countsOf, grouped, lost } from "../../../plugins/workbench/src/epcg_workbench/static/counts.js";
import { inside, opensAt } from "../../../plugins/workbench/src/epcg_workbench/static/pieces.js";

test("a mark without limits has no count; a missing limit is none, or all places", () => {
  const taken = [
    { name: "ball", least: "2", most: "" }, { name: "wall", least: "", most: "0" }, { name: "", least: "", most: "" },
  ];
  assert.deepEqual(countsOf(taken, 7), { ball: [2, 7], wall: [0, 0] });
});

test("places with the same marks are asked for together", () => {
  const open = new Map([["a", ["", "ball"]], ["b", ["ball"]], ["c", ["", "ball"]]]);
  assert.deepEqual(grouped(open), [{ sites: ["a", "c"], marks: ["", "ball"] }, { sites: ["b"], marks: ["ball"] }]);
});

test("what lies on open places and is not taken is said to be lost", () => {
  /** @type {Record<string, string[]>} */ const lies = { a: ["wall"], b: ["ball"], c: ["ball", "wall"], d: [] };
  const open = new Map(Object.keys(lies).map((site) => [site, ["", "ball"]]));
  const words = lost(open, (site) => lies[site], (name) => name || "nothing", (site) => `place ${site}`);
  assert.equal(words, "No answer keeps wall at place a, ball and wall (together) at place c.");
  assert.equal(lost(new Map([["b", ["ball"]]]), () => ["ball"], String, String), "");
});

test("more than three lost marks are counted", () => {
  const open = new Map(["a", "b", "c", "d", "e"].map((site) => [site, ["ball"]]));
  assert.match(lost(open, () => [], () => "nothing", String), /nothing at c, and 2 more\.$/);
});

test("the inside of a board is all but its rim", () => {
  /** @type {Site[]} */ const sites = [];
  for (const x of [1, 2, 3]) for (const y of [1, 2, 3]) sites.push([`c${x},${y}`, "cell", [], ""]);
  assert.deepEqual(inside(sites), ["c2,2"]);
  assert.deepEqual(inside([["v1", "vertex", [], ""]]), ["v1"]);
});

test("after a change of levels the one that was changed is open, or its neighbour", () => {
  assert.equal(opensAt("duplicate", 2, 4), 3);
  assert.equal(opensAt("move", 2, 4, 0), 0);
  assert.equal(opensAt("remove", 3, 3), 2);
  assert.equal(opensAt("replace", 1, 3), 1);
});
