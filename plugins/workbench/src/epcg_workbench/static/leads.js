// What an answer leads on to: a new game, or parts of the one that is open.
// @ts-check
import { one } from "./api.js";

/** Whether a candidate can be taken where one is. @param {State} state @param {Lead} lead */
export function canLead({ panels, settings }, { domain, format, takes }) {
  const { project } = panels;
  if (takes === "game") return settings.project;
  return project.workshop && project.domain === domain && project.format === format;
}

/** Whether a content can be added to the file that is open. @param {State} state @param {Placed} found */
export function canAdd({ panels: { project } }, { domain, editor }) {
  return editor && project.isOpen && !project.workshop && project.domain === domain;
}

/** Add a content to the file that is open, behind the one that was. @param {State} state @param {string} puzzle */
export async function add({ panels }, puzzle) {
  await panels.project.acts.add({ kind: "content", text: (await one("puzzle", { puzzle })).text });
}

/**
 * Make a game of a candidate, or take candidates into the game.
 * @param {State} state @param {Lead} lead @param {string[]} puzzles
 */
export async function lead({ panels }, { domain, format, ending, takes }, puzzles) {
  if (takes === "parts") return panels.shop.take(puzzles);
  const { text } = await one("workshop_made", { domain, format, puzzle: puzzles[0] });
  const heading = "A game of it", belongs = "It begins with these pieces on this board.";
  return panels.first.making.inside({ name: `game${ending}`, text, heading, belongs, canvas: "board" });
}
