// The candidates that a part did not take, and why.
// @ts-check
import { $, el } from "./base.js";

/**
 * Show them below the sentence of the part.
 * @param {import("./arrange.js").ArrangePage} plans @param {number} j the part's number in the chosen chapter
 * @param {Choice | undefined} found what the part chooses @param {import("./pictures.js").Pictures} pictures
 * @param {(puzzle: PlanPuzzle) => void} open
 */
export function rejected(plans, j, found, pictures, open) {
  const count = (found?.rejections ?? []).reduce((sum, [, each]) => sum + each, 0);
  $("chapter-rejected").replaceChildren();
  if (!count) return;
  const list = el(
    "details",
    { class: "rejected" },
    el("summary", {}, `${count.toLocaleString("en")} rejected, and why`),
  );
  const { at } = plans;
  list.addEventListener("toggle", () => {
    if (!list.open || list.children.length > 1) return;
    const tiles = (found?.rejected ?? []).map((puzzle) => {
      const take = () =>
        plans.view.mover.lists([[at, j, [...plans.view.mover.entries(at, j), puzzle.puzzle]]], puzzle.puzzle);
      const tile = el(
        "li",
        {},
        el(
          "button",
          { class: "open", onclick: () => open(puzzle) },
          el("span", { class: "picture" }),
          puzzle.told || "no value",
        ),
        el("small", {}, puzzle.reason),
        typeof puzzle.value === "number" ? el("button", { class: "link", onclick: take }, "Take it") : "",
      );
      pictures.show(tile, puzzle.puzzle);
      return tile;
    });
    const rows = (found?.rejections ?? []).map(([rule, each]) =>
      el("tr", {}, el("td", {}, rule), el("td", { class: "value" }, each.toLocaleString("en"))),
    );
    list.append(
      el("table", {}, el("tbody", {}, ...rows)),
      el(
        "p",
        { class: "muted" },
        tiles.length < count ? `${tiles.length} of those that passed the most rules:` : "All of them:",
      ),
      el("ul", { class: "cards", "aria-label": "Rejected puzzles" }, ...tiles),
    );
  });
  $("chapter-rejected").append(list);
}
