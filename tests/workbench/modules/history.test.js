// The history of a file, as the project tells it.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

/** @type {object[]} What the server answers. */ let told = [];
const store = { getItem: () => null, setItem: () => {} };
const fetch = async () => new Response(told.map((each) => `${JSON.stringify(each)}\n`).join(""));
const globals = Object.entries({ sessionStorage: store, localStorage: store, location: { search: "" }, fetch });

/** A file's history after some texts, and the texts that it shows. @param {string[]} texts */
async function drawn(...texts) {
  for (const [name, value] of globals) Object.defineProperty(globalThis, name, { value, configurable: true });
  const { Steps } = await import("../../../plugins/workbench/src/epcg_workbench/static/steps.js");
  /** @type {string[]} */ const shown = [];
  const steps = new Steps({
    restore: (text) => shown.push(text), flush: () => {}, changed: () => {}, kind: () => ({ domain: "", format: "" }),
  });
  told = [];
  await steps.open("new.txt", texts[0], key(texts[0]));
  for (const text of texts.slice(1)) steps.take(text, key(text), "put");
  return { steps, shown };
}
const key = (/** @type {string} */ text) => text.padEnd(16, "-");

test("undo goes back to what was there before, also from a state that was there once", async () => {
  const { steps, shown } = await drawn("a", "b", "c", "b");
  for (let left = 5; left && steps.canUndo; left -= 1) await steps.undo();
  assert.deepEqual(shown, ["c", "b", "a"]);
  for (let left = 5; left && steps.canRedo; left -= 1) await steps.redo();
  assert.deepEqual(shown.slice(3), ["b", "c", "b"]);
  assert.equal(steps.rows().length, 3);
});

test("what is done after undo takes the place of what was undone, which stays a branch", async () => {
  const { steps, shown } = await drawn("a", "b", "c");
  await steps.undo();
  await steps.undo();
  steps.take("d", key("d"), "put");
  assert.equal(steps.canRedo, false);
  assert.deepEqual(steps.rows().map(({ key: name, lane }) => [name[0], lane]), [["d", 1], ["c", 0], ["b", 0], ["a", 0]]);
  await steps.go(key("c"));
  await steps.undo();
  await steps.undo();
  await steps.redo();
  assert.deepEqual(shown, ["b", "a", "c", "b", "a", "b"]);
});

test("text that is typed in one go is one step, also where it was there before", async () => {
  const { steps, shown } = await drawn("a");
  for (const text of ["ab", "abc", "ab", "a", "ax"]) steps.take(text, key(text), "text");
  for (let left = 9; left && steps.canUndo; left -= 1) await steps.undo();
  assert.equal(shown.at(-1), "a");
  assert.ok(shown.length <= 4);
});

test("a file that is opened again has what it came from and what came from it", async () => {
  const { steps, shown } = await drawn("x");
  const names = ["a", "b", "c"].map((name) => name.repeat(64));
  told = names.map((digest, number) => ({ digest, parent: names[number - 1] ?? "", label: "", at: "", lane: 0 }));
  await steps.open("old.txt", "b", names[1].slice(0, 16));
  assert.deepEqual([steps.canUndo, steps.canRedo], [true, true]);
  told = [{ text: "text of c" }];
  await steps.redo();
  assert.deepEqual([shown, steps.canRedo], [["text of c"], false]);
});

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
