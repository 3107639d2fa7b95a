// Requests to the server, as the page sends them.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

const store = { getItem: () => null, setItem: () => {} };
/** @type {object[]} What is sent. */ const sent = [];
const lines = [{ compiling: true }, { solution: [1] }, { compiling: true }, { solution: [2] }];
const fetch = async (/** @type {string} */ _, /** @type {{body: string}} */ { body }) => {
  sent.push(JSON.parse(body));
  return new Response(lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
};

test("that code is being compiled is no answer; it is told until the answer ends", async () => {
  const globals = Object.entries({ sessionStorage: store, localStorage: store, location: { search: "" }, fetch });
  for (const [name, value] of globals) Object.defineProperty(globalThis, name, { value, configurable: true });
  const { ask, one, whileCompiling } = await import("../../../plugins/workbench/src/epcg_workbench/static/api.js");
  /** @type {unknown[]} */ const told = [];
  whileCompiling((isCompiling) => told.push(isCompiling));
  for await (const message of ask("solve", { text: "x" })) told.push(message);
  assert.deepEqual(told, [true, { solution: [1] }, true, { solution: [2] }, false]);
  assert.deepEqual(await one("solve"), { solution: [1] });
  assert.equal(told.at(-1), false);
  assert.ok(sent.every((each) => "tells" in each));
  whileCompiling(() => {});
});
