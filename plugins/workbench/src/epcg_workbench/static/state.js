// The state of the page: what stands on the board, in which tab, and the parts that show it.
// @ts-check

/** What is told of a workbench that is still being asked. @type {Settings} */
const UNKNOWN = { data: false, start: "", pages: [], project: false, folder: "", id: "", base: "", db: "" };

export class State {
  /** @param {import("./board.js").EpcgBoard} board */
  constructor(board) {
    this.board = board;
    /** What stands on the board, if anything does. @type {Bench | null} */
    this.opened = null;
    /** The tab, and the one that is shown. @type {Mode} */
    this.mode = "edit";
    /** @type {Mode | ""} */ this.shownMode = "";
    /** @type {Domain[]} */ this.domains = [];
    this.settings = UNKNOWN;
    /** History and locks of contents that were left, to which *back* leads, by their names. */
    this.left = /** @type {Map<string, Pick<Bench, "nodes" | "at" | "locked">>} */ (new Map());
    /** The site below the pointer; '' for none. */
    this.hovered = "";
    /** The parts of the page: app.js makes them before anything is shown. */
    this.panels = /** @type {Panels} */ ({});
  }

  /** What stands on the board. Throws an error if nothing does. */
  get bench() {
    if (!this.opened) throw new Error("Nothing stands on the board: open a puzzle first.");
    return this.opened;
  }

  /** The domain of what stands on the board. */
  get domain() {
    const found = this.domains.find((each) => each.domain === this.bench.domain);
    if (!found) throw new Error(`There is no domain ${this.bench.domain}.`);
    return found;
  }

  /** What players call one content of a domain, and several. @param {string} name */
  wordsOf(name) { return this.domains.find(({ domain }) => domain === name)?.word ?? ["level", "levels"]; }
}
