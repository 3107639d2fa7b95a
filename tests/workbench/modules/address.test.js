// The entries of the browser's history: what is one place, and what is followed.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { following, turned, write } from "../../../plugins/workbench/src/epcg_workbench/static/address.js";
import { Browser } from "./fakes.js";

test("contents that drawing makes of one another are one entry", () => {
  const browser = new Browser();
  write("#/fling/a");
  write("#/fling/b");
  assert.deepEqual(browser.hashes, ["#/fling/b"]);
});

test("another content, file or page is an entry of its own", () => {
  const browser = new Browser();
  write("#/fling/a");
  write("#/fling/b", true);
  write("#file/game.txt/1");
  write("#file/game.txt/2");
  assert.deepEqual(browser.hashes, ["#/fling/a", "#/fling/b", "#file/game.txt/1", "#file/game.txt/2"]);
});

test("what is opened on the way to an address is no entry", async () => {
  const browser = new Browser();
  write("#file/game.txt/1");
  await following(async () => write("#file/game.txt/2"));
  assert.deepEqual(browser.hashes, ["#file/game.txt/2"]);
});

test("only the last address that waits is followed", async () => {
  new Browser();
  /** @type {string[]} */ const done = [];
  const first = following(async () => { done.push("first"); });
  const second = following(async () => { done.push("second"); });
  await Promise.all([first, second]);
  assert.deepEqual(done, ["second"]);
});

test("a tab that is pressed is an entry, one that is shown is not", () => {
  const browser = new Browser();
  turned("play", true);
  turned("edit", false);
  assert.deepEqual(browser.entries.map(({ state }) => state), [null, { tab: "edit" }]);
});
