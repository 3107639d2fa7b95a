// What parts of texts are, in three languages; names that are offered, brackets, words that are found.
// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { Colouring, cut, foundIn, languageOf, underlined } from "./colouring.js";

const GAME = `title A Game
author me
again_interval 0.1

(a remark
of two lines (and one in it)) 
========
OBJECTS
========

Background .
#88aa88 darkgreen
00000
01110
00000
00000
00000

Player
blue

Crate
brown (a colour)

========
LEGEND
========
. = Background
# = Crate
P = Player
Pushable = Crate or Player

SOUNDS
crate move 36772507

COLLISIONLAYERS
Background
Player, Crate

RULES
late right [ > Player | Crate ] -> [ > Player | > Crate ] message Ha [
[ Play

WINCONDITIONS
All Player on Crate

LEVELS
message Hello (you)
P#.
`;
const PIECES = `title = "Two"  # a remark
lattice = "squares"

[board]
drawing = '''
##.
'''

[[pieces]]
name = "corner"
copies = [0, 2]
flip = true
`;

/** @param {string} text */
function coloured(text) {
  const colouring = new Colouring();
  colouring.set(text);
  return colouring;
}

/**
 * The parts of the first line that has some words, each as its kind and text.
 * @param {string} text @param {string} words
 */
function partsOf(text, words) {
  const colouring = coloured(text), number = colouring.lines.findIndex((line) => line.includes(words));
  const line = colouring.lines[number];
  return colouring.tokensOf(number).map(({ from, to, kind }) => `${kind} ${line.slice(from, to).trim()}`);
}

test("the language is told by the text", () => {
  assert.equal(languageOf(GAME).name, "PuzzleScript");
  assert.equal(languageOf(PIECES).name, "game of pieces");
  assert.equal(languageOf('[space]\ngenerator = "boards"').name, "TOML");
  assert.equal(languageOf("####\n#@.#\n####").name, "");
});

test("lines of PuzzleScript are coloured by their section", () => {
  assert.deepEqual(partsOf(GAME, "title"), ["key title", "string A Game"]);
  assert.deepEqual(partsOf(GAME, "of two lines"), ["remark of two lines (and one in it))"]);
  assert.deepEqual(partsOf(GAME, "OBJECTS"), ["heading OBJECTS"]);
  assert.deepEqual(partsOf(GAME, "Background ."), ["name Background", "name ."]);
  assert.deepEqual(partsOf(GAME, "#88aa88"), ["colour #88aa88", "colour darkgreen"]);
  assert.deepEqual(partsOf(GAME, "01110"), ["picture 01110"]);
  assert.deepEqual(partsOf(GAME, "brown"), ["colour brown", "remark (a colour)"]);
  assert.deepEqual(partsOf(GAME, "Pushable ="), ["key Pushable", "sign =", "name Crate", "word or", "name Player"]);
  assert.deepEqual(partsOf(GAME, "3677"), ["name crate", "word move", "number 36772507"]);
  assert.deepEqual(partsOf(GAME, "All Player"), ["word All", "name Player", "word on", "name Crate"]);
  assert.deepEqual(partsOf(GAME, "Hello"), ["word message", "string Hello", "remark (you)"]);
  assert.deepEqual(partsOf(GAME, "P#."), ["picture P#."]);
});

test("a rule has words, signs and names, and its message is a text", () => {
  const parts = partsOf(GAME, "late right");
  assert.deepEqual(parts.slice(0, 6), ["word late", "word right", "sign [", "sign >", "name Player", "sign |"]);
  assert.deepEqual(parts.slice(-2), ["word message", "string Ha ["]);
});

test("TOML has tables, keys, texts, numbers and remarks; drawings of pieces are pictures", () => {
  assert.deepEqual(partsOf(PIECES, "title"), ["key title", "sign =", 'string "Two"', "remark # a remark"]);
  assert.deepEqual(partsOf(PIECES, "[[pieces]]"), ["heading [[pieces]]"]);
  assert.deepEqual(partsOf(PIECES, "##."), ["picture ##."]);
  assert.deepEqual(partsOf(PIECES, "copies"), [
    "key copies", "sign =", "sign [", "number 0", "sign ,", "number 2", "sign ]",
  ]);
  assert.deepEqual(partsOf(PIECES, "flip"), ["key flip", "sign =", "word true"]);
  const plain = 'a = """\nb = 1\n"""\nc = { d = "x # y" }\n[t]\n';
  assert.deepEqual(partsOf(plain, "b ="), ["string b = 1"]);
  assert.deepEqual(partsOf(plain, "c ="), ["key c", "sign =", "sign {", "key d", "sign =", 'string "x # y"', "sign }"]);
});

/** Check that all modes are those of a text that was not edited. @param {Colouring} colouring @param {string} text */
function asFresh(colouring, text) {
  const fresh = coloured(text), last = fresh.lines.length - 1;
  fresh.modeOf(last);
  colouring.modeOf(last);
  assert.deepEqual(colouring.modes.slice(0, last + 1), fresh.modes.slice(0, last + 1));
}

test("after edits the modes are those of a fresh text, and one in a line keeps the others", () => {
  const colouring = coloured(GAME), last = colouring.lines.length - 1;
  colouring.modeOf(last);
  for (const [from, to] of [
    ["LEGEND", "(LEGEND"], ["(LEGEND", "LEGEND"], ["Player\n", "Player\nP\n\n"], ["author me\n", ""],
    ["RULES", "(\nRULES)"],
  ]) {
    const text = colouring.lines.join("\n").replace(from, to);
    colouring.set(text);
    asFresh(colouring, text);
  }
  const text = colouring.lines.join("\n").replace("Ha [", "Ho [");
  const { line } = colouring.language;
  let read = 0;
  colouring.language = { ...colouring.language, line: (...args) => { read += 1; return line(...args); } };
  colouring.set(text);
  colouring.modeOf(colouring.lines.length - 1);
  assert.ok(read <= 2, `${read} lines were read again`);
});

test("names that the game has are offered, where names may stand", () => {
  const colouring = coloured(GAME), at = (/** @type {string} */ line) => colouring.lines.indexOf(line);
  assert.deepEqual(colouring.names(), ["Background", "Player", "Crate", "Pushable"]);
  assert.deepEqual(colouring.offered(at("[ Play"), 6), { from: 2, words: ["Player"] });
  assert.deepEqual(coloured("aut\nOBJECTS").offered(0, 3).words, ["author"]);
  assert.deepEqual(colouring.offered(at("author me"), 2).words, [], "a word goes on behind the caret");
  assert.deepEqual(colouring.offered(at("P#."), 1, true).words, []);
  assert.deepEqual(colouring.offered(at("Player, Crate"), 13).words, [], "it is whole already");
  colouring.set(GAME.replace("[ Play", "[ Pu"));
  assert.deepEqual(colouring.offered(at("[ Pu"), 4).words, ["Pushable"]);
});

test("keys of a table and names of pieces are offered", () => {
  const colouring = coloured(`${PIECES}co\n`), last = colouring.lines.length - 2;
  assert.deepEqual(colouring.offered(last, 2).words, ["count", "corner", "copies", "colour"]);
  assert.deepEqual(coloured(`${PIECES}name = "cor`).offered(last, 11).words, ["corner"]);
});

test("a bracket beside the caret is shown with the other one", () => {
  const colouring = coloured(GAME), rule = colouring.lines.findIndex((line) => line.startsWith("late"));
  const line = colouring.lines[rule], open = line.indexOf("["), close = line.indexOf("]");
  assert.deepEqual(colouring.pairAt(rule, open), [{ number: rule, column: open }, { number: rule, column: close }]);
  assert.deepEqual(colouring.pairAt(rule, close + 1).map(({ column }) => column), [close, open]);
  assert.deepEqual(colouring.pairAt(rule, line.length), [], "one in a message means nothing");
  const first = colouring.lines.indexOf("(a remark"), pair = colouring.pairAt(first, 0);
  assert.deepEqual(pair.map(({ number }) => number), [first, first + 1]);
  assert.equal(coloured("RULES\n[ a\n\nOBJECTS").pairAt(1, 0).length, 1);
});

test("words are found without regard to capitals, and not over each other", () => {
  assert.deepEqual(foundIn("Crate, crate and aaa", "CRATE"), [0, 7]);
  assert.deepEqual(foundIn("aaa", "aa"), [0]);
  assert.deepEqual(foundIn("aaa", ""), []);
});

test("a fault is under its word, or under its line", () => {
  assert.deepEqual(underlined("[ > Playr | Crate ]", 5), { from: 4, to: 9 });
  assert.deepEqual(underlined("  all of it ", 0), { from: 2, to: 11 });
  assert.deepEqual(underlined("]", 9), { from: 0, to: 1 });
});

test("a line is cut where anything begins or ends, and nothing is lost", () => {
  const parts = cut("[ > Playr", [{ from: 0, to: 1, kind: "sign" }, { from: 4, to: 9, kind: "name" }], [
    { from: 4, to: 9, name: "at-fault" }, { from: 6, to: 7, name: "found" },
  ]);
  assert.equal(parts.map(({ text }) => text).join(""), "[ > Playr");
  assert.deepEqual(parts.map(({ names }) => names.join(" ")), [
    "sign", "", "name at-fault", "name at-fault found", "name at-fault",
  ]);
});
