// The state of play, and the player that does one input after the other.
// @ts-check
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Moving, Player, pressed, stateAt, stepped, swiped, told } from "./play.js";

const places = { here: () => "c1", title: (/** @type {string} */ site) => `place ${site}` };
const scene = { note: "" };
/** @param {[string[], string[], string][]} rows @param {Partial<import("./play.js").Position>} [more] */
const position = (rows, more = {}) => (
  { scene, solved: false, actions: rows.map(([sites, keys, text]) => ({ sites, keys, text })), ...more }
);
/** A walker beside four cells. */
const walk = position([
  [["n"], ["ArrowUp"], "up"], [["e"], ["ArrowRight"], "right"],
  [["s"], ["ArrowDown"], "down"], [["w"], ["ArrowLeft"], "left"],
]);
/** Two balls that are flung. */
const fling = position([
  [["c1", "c2"], ["ArrowRight"], "one to the right"], [["d1", "d2"], ["ArrowRight"], "the other to the right"],
]);
/** @param {any} at @param {any} input */
const does = (at, input) => stepped(stateAt([], at), input, places);

test("keys of the genre mean arrows, undo, restart and a hint", () => {
  for (const [key, text] of [["ArrowUp", "up"], ["w", "up"], ["d", "right"], ["s", "down"], ["a", "left"]])
    assert.equal(does(walk, { kind: "key", key })?.text, text);
  assert.deepEqual(stepped(stateAt([2, 1], walk), { kind: "key", key: "z" }, places), { taken: [2], did: "undos" });
  for (const key of ["u", "Backspace"])
    assert.equal(stepped(stateAt([2], walk), { kind: "key", key }, places)?.did, "undos");
  assert.deepEqual(stepped(stateAt([2], walk), { kind: "key", key: "r" }, places), { taken: [], did: "restarts" });
  assert.equal(does(walk, { kind: "key", key: "h" })?.did, "hints");
  assert.equal(does(walk, { kind: "key", key: "q" }), null);
});

test("a key of a move comes before what it means elsewhere, and X is space and Enter", () => {
  const game = position([[[], ["z"], "zap"], [[], ["x"], "act"]]);
  assert.equal(does(game, { kind: "key", key: "z" })?.text, "zap");
  for (const key of ["x", " ", "Enter"]) assert.equal(does(game, { kind: "key", key })?.text, "act");
});

test("on the board arrows and Enter choose a place where they make no move", () => {
  assert.deepEqual(does(fling, { kind: "key", key: "ArrowUp" }), { cursor: "ArrowUp" });
  assert.deepEqual(does(fling, { kind: "key", key: "Enter" })?.touched, ["c1"]);
  const ends = position([[["c1"], [], "end here"], [["p"], ["Enter"], "end there"]]);
  assert.equal(does(ends, { kind: "key", key: "Enter" })?.text, "end here");
});

test("where all begins at one place, the first arrow or swipe begins there and goes on", () => {
  const one = position([[["p"], ["Enter"], "begin"]]), press = /** @type {const} */ ({ kind: "key", key: "ArrowUp" });
  assert.deepEqual(does(one, press), { taken: [0], did: "moves", text: "begin", then: [press] });
  assert.deepEqual(stepped(stateAt([0], one), press, places), { cursor: "ArrowUp" }, "but a line is not ended by it");
  const two = position([[["p"], ["Enter"], "begin"], [["q"], ["Enter"], "begin"]]);
  assert.deepEqual(does(two, press), { cursor: "ArrowUp" });
  const swipe = /** @type {const} */ ({ kind: "swipe", key: "ArrowUp" });
  assert.deepEqual(does(one, swipe), { taken: [0], did: "moves", text: "begin", then: [swipe] });
  assert.equal(does(two, swipe), null);
});

test("a key that several moves share belongs to what was touched, or to where the cursor is", () => {
  const state = { ...stateAt([], fling), touched: ["d1"] };
  assert.equal(pressed(state, "ArrowRight", "c1"), 1);
  assert.equal(pressed(stateAt([], fling), "ArrowRight", "c1"), 0);
  assert.equal(pressed(stateAt([], fling), "ArrowRight", "elsewhere"), -1);
});

test("touches grow into a move, in their order or as a set", () => {
  const first = does(fling, { kind: "stroke", sites: ["c1"] });
  assert.deepEqual(first, { touched: ["c1"], held: -1, note: "place c1 chosen." });
  const state = { ...stateAt([], fling), touched: ["c1"] };
  assert.equal(stepped(state, { kind: "stroke", sites: ["c2"] }, places)?.text, "one to the right");
  const pieces = position([[["a", "b", "c"], [], "a piece"]]);
  assert.equal(does(pieces, { kind: "stroke", sites: ["c", "a", "b"] })?.text, "a piece");
  assert.equal(does(walk, { kind: "stroke", sites: ["q"] })?.note, "No move is made that way here.");
});

test("a touch that is a move and the beginning of another waits for one more", () => {
  const both = position([[["a"], [], "short"], [["a", "b"], [], "long"]]);
  const step = does(both, { kind: "stroke", sites: ["a"] });
  assert.equal(step?.note, "Touch it again for: short. Or go on.");
  const state = { ...stateAt([], both), touched: ["a"], held: 0 };
  assert.equal(stepped(state, { kind: "stroke", sites: ["a"] }, places)?.text, "short");
  assert.equal(stepped(state, { kind: "stroke", sites: ["b"] }, places)?.text, "long");
});

test("a movement is the arrow of its longer side, and none if it is short", () => {
  assert.deepEqual([[90, 20], [-90, 20], [20, 90], [20, -90], [10, 10]].map(([x, y]) => swiped(x, y)),
    ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", ""]);
});

test("a swipe on the board is one move, from where the finger began", () => {
  const over = { kind: "stroke", sites: ["d1", "d2", "d3", "d4"], swipe: "ArrowRight" };
  assert.equal(does(fling, over)?.text, "the other to the right");
  assert.equal(does(walk, { kind: "stroke", sites: ["x", "w", "y"], swipe: "ArrowUp" })?.text, "up");
  assert.equal(does(walk, { kind: "stroke", sites: ["x"], swipe: "ArrowUp" })?.text, "up", "within one large cell");
});

test("a line that is drawn touches its places one after the other", () => {
  const step = does(walk, { kind: "stroke", sites: ["x", "e", "y"] });
  assert.deepEqual(step?.then?.map((each) => each.kind === "stroke" && each.sites[0]), ["x", "e", "y"]);
  assert.deepEqual(does(walk, { kind: "stroke", sites: ["x"], line: true }), {});
});

test("a state says how many moves, and the end", () => {
  assert.equal(told(stateAt([1], walk)), "1 move.");
  const lit = { ...walk, solved: true, scene: { note: "All lit." } };
  assert.equal(told(stateAt([1, 1], lit)), "Solved in 2 moves. All lit.");
  assert.equal(told(stateAt([1, 1], position([]))), "2 moves. There is no move left: take one back.");
  assert.equal(told(stateAt([1, 1], { ...walk, rest: "It is lost." })), "2 moves. It is lost.");
});

/** A player on a line of numbers, whose positions come late; `log` holds what the page hears. */
function late() {
  /** @type {string[]} */ const log = [];
  /** @type {(() => void)[]} */ const open = [];
  /** The actions of a place: their numbers change with the place. @param {number[]} taken */
  const at = (taken) => {
    const place = taken.length ? taken.reduce((sum, number, index) => sum + (number === index % 2 ? 1 : -1), 0) : 0;
    /** @type {[string[], string[], string][]} */
    const rows = [[[], ["ArrowRight"], "on"], [[], ["ArrowLeft"], "back"]];
    return position(taken.length % 2 ? rows.reverse() : rows, { scene: { note: `at ${place}` }, solved: place === 3 });
  };
  const source = {
    /** @param {number[]} taken @returns {Promise<import("./play.js").Position>} */
    position: (taken) => new Promise((resolve) => open.push(() => resolve(at(taken)))),
    hint: async () => ({ number: 0 }),
  };
  const view = {
    show: (/** @type {any} */ state) => { log.push(`show ${told(state)}`); },
    touch: () => {}, go: (/** @type {string} */ key) => { log.push(`cursor ${key}`); },
    note: (/** @type {string} */ sentence) => { if (sentence) log.push(sentence); },
    did: (/** @type {string} */ what, text = "") => { log.push(`${what} ${text}`.trim()); },
    ...places,
  };
  const player = new Player(source, view);
  /** Let all answers come until nothing is in work. */
  const rest = async () => {
    for (let turn = 0; turn < 50; turn += 1) { open.shift()?.(); await new Promise((resolve) => setTimeout(resolve)); }
  };
  return { log, player, rest, open };
}

test("inputs that come while a move is in work are done in their order, each at its own position", async () => {
  const { log, player, rest } = late();
  void player.begin();
  await rest();
  log.length = 0;
  for (const key of ["ArrowRight", "ArrowRight", "z", "ArrowRight", "ArrowRight"]) {
    assert.ok(player.takes({ kind: "key", key }));
    void player.do({ kind: "key", key });
  }
  await rest();
  assert.deepEqual(log, [
    "moves on", "show 1 move. at 1", "moves on", "show 2 moves. at 2", "undos", "show 1 move. at 1",
    "moves on", "show 2 moves. at 2", "moves on", "solved", "show Solved in 3 moves. at 3",
  ]);
  assert.deepEqual(player.taken, [0, 1, 0]);
  assert.equal(player.work, null);
});

test("an undo that is tapped right after a move takes back that move", async () => {
  const { log, player, rest } = late();
  void player.begin();
  await rest();
  void player.do({ kind: "swipe", key: "ArrowRight" });
  void player.do({ kind: "undo" });
  await rest();
  assert.deepEqual(log.slice(-4), ["moves on", "show 1 move. at 1", "undos", "show 0 moves. at 0"]);
});

test("what is asked for another game comes to nothing", async () => {
  const { log, player, rest, open } = late();
  void player.begin();
  await Promise.resolve();
  void player.do({ kind: "undo" });
  const before = open.shift();
  void player.begin([0]);
  before?.();
  await rest();
  assert.deepEqual(log, ["show 1 move. at 1"]);
});

test("an answer that fails drops what waited for it, and the next input is done", async () => {
  const { player, rest } = late();
  void player.begin();
  await rest();
  const { position: works } = player.source;
  player.source.position = async () => { throw new Error("gone"); };
  const failed = player.do({ kind: "take", number: 0 });
  void player.do({ kind: "take", number: 0 }).catch(() => {});
  await assert.rejects(failed, /gone/);
  assert.deepEqual(player.taken, []);
  player.source.position = works;
  void player.do({ kind: "take", number: 0 });
  await rest();
  assert.deepEqual(player.taken, [0]);
});

test("of places between which a slider moves only the last one is asked for", async () => {
  const { log, player, rest } = late();
  void player.begin();
  await rest();
  log.length = 0;
  for (const taken of [[0], [0, 1], [0, 1, 0]]) void player.do({ kind: "go", taken });
  await rest();
  assert.equal(log.at(-1), "show Solved in 3 moves. at 3");
  assert.ok(log.length <= 2, String(log));
});

test("the key of a hint says what may be tried, or nothing where there are no hints", async () => {
  const { log, player, rest } = late();
  void player.begin();
  await rest();
  await player.do({ kind: "key", key: "h" });
  assert.deepEqual(log.slice(-2), ["hints", "Try: on."]);
  player.source.hint = () => null;
  await player.do({ kind: "hint" });
  assert.deepEqual(log.slice(-2), ["hints", "Try: on."]);
});

test("a move that leads out of what is known says so, and changes nothing", async () => {
  const { log, player, rest } = late();
  void player.begin();
  await rest();
  player.source.position = () => "Nobody knows where this leads.";
  await player.do({ kind: "take", number: 0 });
  assert.equal(log.at(-1), "Nobody knows where this leads.");
  assert.deepEqual(player.taken, []);
});

test("moves are made by themselves, at equal times, until their end", () => {
  mock.timers.enable({ apis: ["setInterval"] });
  /** @type {unknown[]} */ const heard = [];
  const moving = new Moving(() => { heard.push("move"); return heard.filter((each) => each === "move").length < 3; }, 350,
    () => heard.push(moving.isOn));
  moving.begin();
  mock.timers.tick(349);
  assert.deepEqual(heard, [true]);
  mock.timers.tick(5000);
  assert.deepEqual(heard, [true, "move", "move", "move", false]);
  assert.equal(moving.stop(), false);
  mock.timers.reset();
});

test("moves that are stopped, or begun again, go on no more than once", () => {
  mock.timers.enable({ apis: ["setInterval"] });
  let made = 0;
  const moving = new Moving(() => { made += 1; return true; }, 100, () => {});
  moving.begin();
  moving.begin();
  mock.timers.tick(250);
  assert.equal(made, 2);
  assert.equal(moving.stop(), true);
  mock.timers.tick(1000);
  assert.equal(made, 2);
  mock.timers.reset();
});
