// The history of a file, as the project tells it.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

/** @type {object[]} What the server answers. */ let told = [];
const store = { getItem: () => null, setItem: () => {} };
const fetch = async () => new Response(told.map((each) => `${JSON.stringify(each)}\n`).join(""));
const globals = Object.entries({ sessionStorage: store, localStorage: store, location: { search: "" }, fetch });

test("states come with how many older ones are no longer remembered", async () => {
  for (const [name, value] of globals) Object.defineProperty(globalThis, name, { value, configurable: true });
  const { Steps } = await import("../../../plugins/workbench/src/epcg_workbench/static/steps.js");
  const steps = new Steps({
    restore: () => {}, flush: () => {}, changed: () => {}, kind: () => ({ domain: "", format: "" }),
  });
  const digests = ["a".repeat(64), "b".repeat(64)];
  told = digests.map((digest, number) => ({ digest, parent: digests[number - 1] ?? "", label: "", at: "", lane: 0 }));
  await steps.open("one.txt", "text", "b".repeat(16));
  assert.deepEqual([steps.rows().length, steps.dropped], [2, 0]);
  told.push({ dropped: 7 });
  await steps.open("two.txt", "text", "b".repeat(16));
  assert.deepEqual([steps.rows().length, steps.dropped], [2, 7]);
});
