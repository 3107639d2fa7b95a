// Changes of the list of pieces: a level or a message is added, duplicated, moved, deleted, and brought back.
// @ts-check
import { one } from "./api.js";
import { $, attempt } from "./base.js";
import { bare } from "./bench.js";
import { emptied } from "./levels.js";
import { opensAt } from "./pieces.js";

/** What a change of the pieces puts, or where. @typedef {{to?: number, piece?: Pick<Piece, "kind" | "text">,
 *   title?: string}} More */
/** @typedef {(how: keyof typeof DONE, number: number, more?: More) => unknown} Act */
const DONE = { insert: "added", duplicate: "duplicated", remove: "deleted", move: "moved", replace: "changed",
  entitle: "named" };

export class PieceActs {
  /** @param {import("./project.js").ProjectPage} project */
  constructor(project) {
    this.project = project;
    /** @type {{before: string, after: string} | null} What a piece was deleted from. */ this.undone = null;
    /** @type {Set<string>} Which states of the file a change of the list led from and to. */ this.done = new Set();
    /** @type {Promise<unknown>} */ this.acting = Promise.resolve();
    $("add-level").onclick = () => attempt(() => this.#addLevel());
    $("add-message").onclick = () => attempt(() => this.add({ kind: "message", text: "Words between levels." }));
    $("strip-undo").onclick = () => attempt(() => this.#undo());
  }

  /**
   * Change the pieces, after what is being changed, and open what has changed.
   * @param {keyof typeof DONE} how @param {number} number @param {More} [more]
   */
  act(how, number, more = {}) {
    const acting = this.acting.then(() => this.#act(how, number, more));
    this.acting = acting.catch(() => {});
    return acting;
  }

  /** @param {keyof typeof DONE} how @param {number} number @param {More} more */
  async #act(how, number, more) {
    const { project } = this, { state, steps } = project;
    await project.isPut();
    const { domain, format, text: before } = project, piece = project.sheet.pieces[number], from = steps.at;
    const found = await one("project_change", { domain, format, text: before, how, number, ...more });
    if (before !== project.text) throw new Error("The text was changed meanwhile: do it again.");
    const after = found.pieces.length, isMessage = (more.piece ?? piece)?.kind === "message";
    project.take(found, `${isMessage ? "message" : project.word} ${DONE[how]}`);
    this.done.add(`${from} ${steps.at}`);
    this.undone = how === "remove" ? { before, after: found.text } : null;
    $("strip-undone").hidden = how !== "remove";
    $("strip-what").textContent = `The ${isMessage ? "message" : project.word} is deleted.`;
    if (after) await project.choose(opensAt(how, number, after, more.to));
    else bare(state);
    state.panels.past.show();
  }

  /** Whether the step that undo, or redo, is about now is a change of the list. @param {-1 | 1} by */
  isNext(by) {
    const { at, walk, place } = this.project.steps, other = walk[place + by];
    return Boolean(other) && this.done.has(by < 0 ? `${other} ${at}` : `${at} ${other}`);
  }

  async #undo() {
    const { before = "", after } = this.undone ?? {};
    $("strip-undone").hidden = true;
    if (after !== this.project.text) {
      throw new Error("The text has been changed since: the History has what was deleted.");
    }
    await this.project.restore(before);
  }

  /** Add a content behind the last one, and open it. @param {string} text */
  insert(text) { return this.act("insert", this.project.sheet.pieces.length, { piece: { kind: "content", text } }); }

  /** Add what is behind the piece that is open, and open it. @param {Pick<Piece, "kind" | "text">} piece */
  add(piece) {
    const { piece: at, sheet } = this.project;
    return this.act("insert", at < 0 ? sheet.pieces.length : at + 1, { piece });
  }

  /** Add an empty room of the size of the level that is open; a copy of it, if empty ones are refused. */
  async #addLevel() {
    const { project } = this, { pieces } = project.sheet;
    const isLevel = (/** @type {Piece | undefined} */ piece) => piece?.kind === "content";
    const number = isLevel(pieces[project.piece]) ? project.piece : pieces.findLastIndex(isLevel);
    if (number < 0) throw new Error(`There is no ${project.word} yet: write the first one in the text.`);
    const text = await emptied(project, number);
    if (text === null) await this.act("duplicate", number);
    else await this.act("insert", number + 1, { piece: { kind: "content", text } });
  }
}
