// What an answer leads on to: a new game, or parts of the one that is open.
// @ts-check
import { one } from "./api.js";

export class Leads {
  /** @param {any} page `project()`, `shop()`, `settings()` */
  constructor(page) { this.page = page; }

  /** Whether a candidate can be taken where one is. @param {any} lead a format, and what candidates are to its games */
  can({ domain, format, takes }) {
    const { project, settings } = this.page, open = project();
    if (takes === "game") return Boolean(settings().project);
    return Boolean(open.workshop) && open.domain === domain && open.format === format;
  }

  /** The file whose game takes parts. */
  file() { return this.page.project().file; }

  /** Make a game of a candidate, or take candidates into the game. @param {any} lead @param {string[]} puzzles */
  async go({ domain, format, ending, takes }, puzzles) {
    if (takes === "parts") return this.page.shop().take(puzzles);
    const { text } = await one("workshop_made", { domain, format, puzzle: puzzles[0] });
    const { file } = await one("project_new", { file: `game${ending}`, text });
    await this.page.project().files.list();
    location.hash = `#file/${encodeURIComponent(file)}/board`;
    return undefined;
  }
}
