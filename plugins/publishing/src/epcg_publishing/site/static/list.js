// The list of puzzles: which are solved.
// @ts-check
import { Kept, installable } from "./keep.js";
import { say } from "./texts.js";

const kept = new Kept(document.body.dataset.name ?? "");

function marks() {
  const tiles = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-key]")]);
  let solved = 0, next = null;
  for (const tile of tiles) {
    const { solved: done, best } = kept.of(tile.dataset.key ?? "");
    tile.classList.toggle("solved", done === true);
    const mark = tile.querySelector(".mark");
    if (mark) mark.textContent = !done ? "" : best ? say("solved in {count}", { count: best }) : say("solved");
    if (done) solved += 1; else next ??= tile;
  }
  const says = document.getElementById("progress"), go = /** @type {HTMLAnchorElement | null} */ (document.getElementById("next"));
  if (says) says.textContent = kept.works ? say("{done} of {all} solved.", { done: solved, all: tiles.length }) : say("This browser keeps no progress for these pages.");
  if (go && next) { go.href = next.getAttribute("href") ?? ""; go.textContent = solved ? say("Go on") : say("Begin"); }
  if (go) go.hidden = !next;
  const how = /** @type {HTMLDetailsElement | null} */ (document.querySelector(".how"));
  if (how && solved) how.open = false;
  const forget = document.getElementById("forget");
  if (forget) forget.hidden = !solved;
}

document.getElementById("forget")?.addEventListener("click", () => {
  if (confirm(say("Forget which puzzles are solved?"))) { kept.forget(); marks(); }
});
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
addEventListener("pageshow", () => { kept.read(); marks(); });
installable(document);
