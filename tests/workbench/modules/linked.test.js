// What links hold that are given to a workbench as texts.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { heldBy, linked } from "../../../epcg_core/rendering/board/linked.js";

const SOURCE = "title Größe\nLEVELS\n\n#P*O#\n";

test("the address of a page for a friend, and that of a workbench, hold the whole text", async () => {
  const friend = `https://example.org/game.html${await linked({ title: "A", puzzles: [], source: SOURCE })}`;
  assert.deepEqual(await heldBy(` ${friend}\n`), { text: SOURCE, domain: "" });
  const workbench = `http://127.0.0.1:8247/${await linked({ domain: "puzzlescript", source: SOURCE })}`;
  assert.deepEqual(await heldBy(workbench), { text: SOURCE, domain: "puzzlescript" });
});

test("the address of one board holds its text", async () => {
  const address = `http://127.0.0.1:8247/p/12ab/#/witness/${encodeURIComponent("+---E\n| a |/#\nS---+\n")}`;
  assert.deepEqual(await heldBy(address), { domain: "witness", text: "+---E\n| a |/#\nS---+\n" });
});

test("an address that was cut is told, and other texts hold nothing", async () => {
  const whole = `https://example.org/game.html${await linked({ source: SOURCE })}`;
  for (const cut of [whole.slice(0, -9), "https://example.org/game.html#game=", "https://example.org/#game=abc"])
    await assert.rejects(heldBy(cut), /perhaps a program has cut it/);
  const others = ["", "#game=abc", "https://example.org/", "http://127.0.0.1:8247/#/", "http://127.0.0.1:8247/#/witness/",
    "https://windmill.thefifthmatt.com/AbCd", SOURCE];
  for (const other of others) assert.equal(await heldBy(other), null);
});
