// Simplify and tighten: a content is reduced as long as a measure stays.
// @ts-check
import { ask, one } from "./api.js";
import { counted } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/** Make the buttons Simplify and Tighten work. @param {any} page what they need of the page: see app.js */
export function offerReductions(page) {
  $("simplify").onclick = () => reduce("");
  $("tighten").onclick = () => tighten();

  function tighten() {
    const { bench, trouble } = page;
    if (bench().mark) return reduce(bench().mark);
    return trouble(new Error("Choose the mark that fills places first: in Draw, in the palette."));
  }

  /** Put a mark, or nothing, on places one by one as long as the measure stays. @param {string} mark */
  function reduce(mark) {
    const { attempt, bench, question, step } = page;
    return attempt(async () => {
      const request = question(),
        { text } = request;
      const title = bench().palette.find((each) => each.name === mark)?.title || mark;
      const [done, what] = mark ? ["filled", `Putting ${title} on`] : ["emptied", "Emptying"];
      let last = null,
        made = [];
      for await (const message of ask("reduce", { ...request, mark, locked: [...bench().locked] })) {
        if (message.made) {
          made = message.made;
          $("progress").textContent = `${made.length} ${done} so far.`;
        }
        if (message.stopped || bench().text !== text) return;
        last = message;
      }
      const other = `${last?.tried}.`;
      const { domain } = request;
      if (made.length) step(await one("open", { domain, text: last.text }), `${counted(made.length, "place")} ${done}`);
      $("progress").textContent = made.length
        ? `Done: ${made.join("; ")}. ${what} any further place gives ${other}`
        : `No place can be ${done} without ${other}`;
    });
  }
}
