// Undo and redo of locks: they are not in a text, so each belongs to the step of the history that it was done at.
// @ts-check

/** @typedef {{locked: Set<string>, sites: string[], isLocked: boolean}} Act places that were locked or unlocked */

/** A history that takes back and does again locks, too, before it goes to another step. */
export class LockSteps {
  /**
   * @param {{bench: Pick<Bench, "ofProject" | "text" | "nodes" | "at" | "locked">}} state what is on the board
   * @param {() => PastSteps} source the history of texts @param {() => void} show shows the locks of the bench
   */
  constructor(state, source, show) {
    this.state = state;
    this.source = source;
    this.show = show;
    /** By what a step is known by. @type {Map<string | BenchNode, {done: Act[], undone: Act[]}>} */
    this.acts = new Map();
  }

  /** What the current step is known by; one of a file that was undone comes back as a new node. */
  get #step() {
    const { ofProject, text, nodes, at } = this.state.bench;
    return ofProject ? text : nodes[at];
  }

  /** Hear that places were locked or unlocked. @param {string[]} sites @param {boolean} isLocked */
  did(sites, isLocked) {
    const step = this.#step,
      done = this.acts.get(step)?.done ?? [];
    this.acts.set(step, { done: [...done, { locked: this.state.bench.locked, sites, isLocked }], undone: [] });
    this.show();
  }

  /** Hear that something else is done here now, after which what was taken back is not done again. */
  branch() {
    const here = this.acts.get(this.#step);
    if (here) here.undone = [];
  }

  get canUndo() {
    return Boolean(this.#last("done")) || this.source().canUndo;
  }
  get canRedo() {
    return Boolean(this.#last("undone")) || this.source().canRedo;
  }
  undo() {
    return this.#turn("done", "undone") || this.source().undo();
  }
  redo() {
    return this.#turn("undone", "done") || this.source().redo();
  }
  /** @param {string} key */
  go(key) {
    return this.source().go(key);
  }
  get dropped() {
    return this.source().dropped;
  }

  rows() {
    return this.source().rows();
  }
  /** @param {string} key */
  picture(key) {
    return this.source().picture(key);
  }

  /** The last act, if it is about what is on the board now. @param {"done" | "undone"} name */
  #last(name) {
    const act = this.acts.get(this.#step)?.[name].at(-1);
    return act?.locked === this.state.bench.locked ? act : undefined;
  }

  /** @param {"done" | "undone"} from @param {"done" | "undone"} to */
  #turn(from, to) {
    const act = this.#last(from);
    if (!act) return false;
    const here = this.acts.get(this.#step);
    here?.[from].pop();
    here?.[to].push(act);
    for (const site of act.sites)
      if (act.isLocked === (to === "done")) act.locked.add(site);
      else act.locked.delete(site);
    this.show();
    return true;
  }
}
