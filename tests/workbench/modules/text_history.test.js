// What was typed is taken back word by word, and made again.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import {
  TextHistory, edited, made,
} from "../../../plugins/workbench/src/epcg_workbench/static/text_history.js";

/** A text in which one types, as a browser tells it. */
class Area {
  constructor() {
    this.history = new TextHistory();
    this.value = "";
    this.at = 0;
  }

  /** Put a text instead of what is selected. @param {string} text @param {number} [from] @param {number} [to] */
  put(text, from = this.at, to = this.at) {
    const before = { value: this.value, start: Math.max(from, to), end: to };
    this.value = this.value.slice(0, from) + text + this.value.slice(to);
    this.at = from + text.length;
    this.history.add(edited(before, { value: this.value, start: this.at, end: this.at }));
  }

  /** @param {string} text */
  type(text) { for (const each of text) this.put(each); }

  /** @param {"undo" | "redo"} how */
  back(how) {
    const edit = this.history[how]();
    if (edit) { this.value = made(this.value, edit); this.at = edit.from + edit.added.length; }
    return this.value;
  }
}

test("words are taken back one after the other, with the blanks behind them, and made again", () => {
  const area = new Area();
  area.type("one two  three");
  assert.deepEqual([1, 2, 3, 4].map(() => area.back("undo")), ["one two  ", "one ", "", ""]);
  assert.deepEqual([1, 2, 3, 4].map(() => area.back("redo")), ["one ", "one two  ", "one two  three", "one two  three"]);
});

test("a line, a place elsewhere, and what is put in at once are steps of their own", () => {
  const area = new Area();
  area.type("ab\ncd");
  assert.equal(area.back("undo"), "ab\n");
  area.at = 0;
  area.type("x");
  area.put("pasted words");
  assert.equal(area.value, "xpasted wordsab\n");
  assert.deepEqual([1, 2, 3].map(() => area.back("undo")), ["xab\n", "ab\n", ""]);
});

test("a run of letters that are deleted is one step, and another edit forgets what was taken back", () => {
  const area = new Area();
  area.type("abcd");
  for (let number = 0; number < 3; number += 1) area.put("", area.at - 1, area.at);
  assert.equal(area.value, "a");
  assert.equal(area.back("undo"), "abcd");
  area.put("!");
  assert.equal(area.back("redo"), "abcd!");
  assert.equal(area.back("undo"), "abcd");
});

test("any change of a text is an edit that can be made and taken back", () => {
  for (const [one, other] of [["abcabc", "abc"], ["", "x"], ["aaa", "aaaa"], ["xay", "xby"], ["moved here", "here moved"]]) {
    const edit = edited({ value: one, start: 1, end: 1 }, { value: other, start: 0, end: 0 });
    assert.equal(made(one, edit), other);
    assert.equal(made(other, { from: edit.from, removed: edit.added, added: edit.removed }), one);
  }
});
