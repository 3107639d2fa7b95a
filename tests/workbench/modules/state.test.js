// The state of the page: what stands on the board, and what is told of it.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { State } from "../../../plugins/workbench/src/epcg_workbench/static/state.js";
import { nothing } from "./fakes.js";

/** A state without a page. */
function state() {
  const board = /** @type {import("../../../epcg_core/rendering/board/board.js").EpcgBoard} */ (
    /** @type {unknown} */ ({}));
  return new State(board);
}

test("who asks for what stands on the board where nothing does gets a sentence", () => {
  assert.throws(() => state().bench, /Nothing stands on the board: open a puzzle first/);
});

test("the domain of what stands on the board is found among those of the server", () => {
  const own = state(), about = { domain: "fling", title: "Fling!", summary: "", editor: "" };
  /** @type {Domain} */
  const fling = { ...about, word: ["board", "boards"], size: [8, 7], rules: [], evaluators: [] };
  own.domains = [fling];
  own.opened = {
    domain: "fling", text: "", hash: "", scene: nothing(), palette: [], playable: true, resizable: false, shaped: false,
    ofProject: false, mark: "", measures: [], turned: new Set(), nodes: [], at: -1, locked: new Set(),
  };
  assert.equal(own.domain.title, "Fling!");
  assert.deepEqual(own.wordsOf("fling"), ["board", "boards"]);
  assert.deepEqual(own.wordsOf("unknown"), ["level", "levels"]);
  own.domains = [];
  assert.throws(() => own.domain, /There is no domain fling/);
});
