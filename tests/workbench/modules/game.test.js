// A game in parts: its screens, the way through it, and what its levels are called.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import {
  TITLE, beginOf, goesOn, hasScreens, levelsOf, nameOf, screenAt,
} from "../../../epcg_core/rendering/board/game.js";

/** @typedef {import("../../../epcg_core/rendering/board/game.js").Game} Game */
/** @type {Game} */
const GAME = {
  title: "Rooms", author: "A", parts: [
    { kind: "message", text: "Push." }, { kind: "level", name: "Level 1" },
    { kind: "message", text: "Two\nlines." }, { kind: "message", text: "More." },
    { kind: "level", name: "Level 2: Hall" },
    { kind: "message", text: "Well done." },
  ],
};
const none = () => false;

test("a game begins at its title, and its player can go on where one was", () => {
  const fresh = screenAt(GAME, TITLE, none), late = screenAt(GAME, TITLE, none, 3);
  assert.deepEqual([fresh?.heading, fresh?.lines, fresh?.choices], ["Rooms", ["by A"], [{ words: "Begin", at: 0 }]]);
  assert.deepEqual(late?.choices, [{ words: "Go on: Level 2: Hall", at: 3 }, { words: "From the beginning", at: 0 }]);
  assert.deepEqual(screenAt(GAME, TITLE, none, 1)?.choices, [{ words: "Begin", at: 0 }]);
});

test("messages are screens, levels are not, and each place leads to the next one", () => {
  assert.deepEqual(screenAt(GAME, 2, none)?.lines, ["Two", "lines."]);
  assert.equal(screenAt(GAME, 1, none), null);
  for (const at of [0, 2, 3, 5]) assert.equal(screenAt(GAME, at, none)?.choices[0].at, at + 1);
});

test("the end says what is not solved yet, and leads there past its messages", () => {
  const end = screenAt(GAME, 6, (at) => at === 1);
  assert.deepEqual([end?.kind, end?.lines], ["end", ["1 of 2 solved."]]);
  assert.deepEqual(end?.choices[0], { words: "Go to Level 2: Hall", at: 2 });
  assert.deepEqual(screenAt(GAME, 6, () => true)?.choices, [{ words: "Back to the title", at: TITLE }]);
});

test("levels have names, and begin at the messages before them", () => {
  assert.deepEqual(levelsOf(GAME), [1, 4]);
  assert.deepEqual(levelsOf(GAME).map((at) => beginOf(GAME, at)), [0, 2]);
  assert.deepEqual([0, 4, 6, TITLE].map((at) => nameOf(GAME, at)), ["", "Level 2: Hall", "", ""]);
  assert.ok(hasScreens(GAME));
  assert.ok(!hasScreens({ ...GAME, parts: [{ kind: "level", name: "Board" }] }));
});

test("keys of the genre go on, and arrows do not", () => {
  assert.ok(["x", "X", "Enter", " "].every(goesOn));
  assert.ok(!["ArrowUp", "z", "h"].some(goesOn));
});
