// Simplify and tighten: a content is reduced as long as a measure stays.
// @ts-check
import { ask, one } from "./api.js";
import { $, attempt, el, trouble } from "./base.js";
import { question, step } from "./bench.js";
import { counted } from "./words.js";

/** Make the buttons Simplify and Tighten work. @param {State} state */
export function offerReductions(state) {
  $("simplify").onclick = () => reduce("");
  $("tighten").onclick = () => tighten();

  function tighten() {
    if (state.bench.mark) void reduce(state.bench.mark);
    else trouble(new Error("Choose the mark that fills places first: in Draw, in the palette."));
  }

  /** Put a mark, or nothing, on places one by one as long as the measure stays. @param {string} mark */
  function reduce(mark) {
    return attempt(async () => {
      const request = question(state),
        { text } = request,
        before = state.bench.scene;
      const title = state.bench.palette.find((each) => each.name === mark)?.title || mark;
      const [done, what] = mark ? ["filled", `Putting ${title} on`] : ["emptied", "Emptying"];
      let last = { text, tried: "" },
        /** @type {string[]} */ made = [];
      for await (const message of ask("reduce", { ...request, mark, locked: [...state.bench.locked] })) {
        if (message.made) {
          made = message.made;
          $("progress").textContent = `${made.length} ${done} so far.`;
        }
        if (message.stopped || state.bench.text !== text) return;
        last = { text: message.text, tried: message.tried ?? "" };
      }
      const other = `${last.tried}.`;
      if (made.length) {
        const reduced = await one("open", { domain: request.domain, text: last.text });
        step(state, reduced, `${counted(made.length, "place")} ${done}`);
      }
      $("progress").textContent = made.length
        ? `Done: ${made.join("; ")}. ${what} any further place gives ${other}`
        : `No place can be ${done} without ${other}`;
      if (made.length) $("progress").append(compared(before, state.bench.scene));
    });
  }

  /** Both boards beside each other, with what differs outlined. @param {Scene} before @param {Scene} after */
  function compared(before, after) {
    const lies = (/** @type {Scene} */ scene, /** @type {string} */ site) => (scene.marks[site] ?? []).join(" ");
    const differs = after.sites.map(([id]) => id).filter((id) => lies(before, id) !== lies(after, id));
    const shown = (/** @type {Scene} */ scene, /** @type {string} */ words) => {
      const board = el("epcg-board");
      board.show({ ...scene, note: "" }, state.bench.palette);
      board.choose(differs);
      return el("span", {}, board, words);
    };
    return el("span", { id: "compared" }, shown(before, "before"), shown(after, "after"));
  }
}
