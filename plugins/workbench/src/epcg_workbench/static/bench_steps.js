// The history of a content that is open outside of projects: a tree, in the memory of the page.
// @ts-check

const MOST_HISTORY = 500;

/** @typedef {Pick<BenchNode, "text" | "scene">} Step */

/** What undo, redo and the list of the past need; it changes `nodes` and `at` of what is on the bench. */
export class BenchSteps {
  /**
   * @param {{bench: Pick<Bench, "nodes" | "at" | "palette">}} state
   * @param {(step: Step) => void} show shows a step
   */
  constructor(state, show) {
    this.state = state;
    this.show = show;
  }

  get canUndo() { return this.#now.parent >= 0; }
  get canRedo() { return this.#now.child > 0; }
  get #now() { return this.state.bench.nodes[this.state.bench.at]; }

  undo() { this.#goTo(this.#now.parent); }
  redo() { if (this.canRedo) this.#goTo(this.#now.child); }
  /** @param {string} key */
  go(key) { this.#goTo(Number(key)); }

  /** Make a content the current one. @param {Step} message @param {string} label what was done */
  take(message, label) {
    const { bench } = this.state, { nodes } = bench;
    if (bench.at >= 0 && this.#now.text === message.text) return this.show(message);
    const isBranch = nodes.some((node) => node.parent === bench.at), above = this.#now?.lane ?? 0;
    const lane = bench.at >= 0 && isBranch ? Math.max(...nodes.map((node) => node.lane)) + 1 : above;
    nodes.push({ text: message.text, scene: message.scene, label, lane, parent: bench.at, child: -1 });
    if (bench.at >= 0) this.#now.child = nodes.length - 1;
    bench.at = nodes.length - 1;
    if (nodes.length > MOST_HISTORY) this.#forget();
    return this.show(message);
  }

  /** Drop the oldest step, which nothing but the history needs. */
  #forget() {
    const { bench } = this.state;
    bench.nodes.shift();
    bench.at -= 1;
    for (const node of bench.nodes) { node.parent -= 1; node.child -= 1; }
  }

  /** @param {number} number */
  #goTo(number) {
    const { bench } = this.state;
    if (number < 0 || number >= bench.nodes.length) return;
    const { parent } = bench.nodes[number];
    if (parent >= 0) bench.nodes[parent].child = number;
    bench.at = number;
    this.show(bench.nodes[number]);
  }

  /** All steps, the newest first. */
  rows() {
    const { nodes, at } = this.state.bench;
    return nodes.map(({ label, parent, lane }, number) => (
      { key: String(number), parent: parent < 0 ? "" : String(parent), label, lane, at: 0, isCurrent: number === at }
    )).reverse();
  }

  /** @param {string} key */
  picture(key) { return { scene: this.state.bench.nodes[Number(key)].scene, palette: this.state.bench.palette }; }
}
