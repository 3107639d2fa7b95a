// What pages say of values.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { bytes, figures, price, shown, titled } from "../../../plugins/workbench/src/epcg_workbench/static/words.js";

test("a title in the plural stands behind a number that it goes with, and before any other value", () => {
  assert.equal(titled("positions one can reach", 1), "positions one can reach: 1");
  assert.equal(titled("positions one can reach", 14800), "14,800 positions one can reach");
  assert.equal(titled("moves", 0), "0 moves");
  assert.equal(titled("shortest line", 14), "shortest line: 14"); // nothing is counted
  assert.equal(titled("ways to complete it", 3), "3 ways to complete it");
  assert.equal(titled("choices (MUSE)", 3), "3 choices (MUSE)");
  assert.equal(titled("chance of two wins", 0.5), "chance of two wins: 0.5");
  assert.equal(titled("can be solved", true), "can be solved: yes");
  assert.equal(titled("moves", null, "no solution"), "moves: no solution");
  assert.equal(titled("hardest step", 2, "", ["none", "count", "guess"]), "hardest step: guess");
});

test("a value has four digits, its name, or the reason why there is none", () => {
  assert.deepEqual([shown(2.34567), shown(undefined), shown(false), shown(0, "", ["none"])], ["2.346", "–", "no", "none"]);
});

test("sizes are those that commands write", () => {
  const told = [0, 1, 999, 1000, 1300000, 999600, 374400000, 1e18].map(bytes);
  assert.deepEqual(told, ["0 bytes", "1 byte", "999 bytes", "1 kB", "1.3 MB", "1 MB", "374 MB", "1000 PB"]);
});

test("numbers set off their thousands wherever they stand", () => {
  assert.deepEqual([9999, 12345.6, -1234.5, 999.96, 0.5].map(figures), ["9,999", "12,346", "-1,234", "1,000", "0.5"]);
  assert.equal(shown(12345.6), "12,346");
});

test("a cost speaks of a disk only if one feels it", () => {
  const between = /** @type {[number, number]} */ ([10, 15]);
  const cost = { remaining: "9", seconds: 12, between, start: 0, known: true };
  const told = (/** @type {string} */ bytes, memory = /** @type {string | null} */ (null)) =>
    price({ ...cost, bytes, memory, unknown: "", runs: [] });
  assert.equal(told("3400000"), "about 12 s of one processor.");
  assert.equal(told("3400000", "2000000000"), "about 12 s of one processor, 2 GB of memory.");
  assert.equal(told("340000000", "2000000000"), "about 12 s of one processor, 340 MB on disk and 2 GB of memory.");
});
