// What modules of the page need of a browser, for tests without one.
// @ts-check

/** An address with a history, as a browser has it. */
export class Browser {
  constructor() {
    this.location = { hash: "" };
    /** @type {{state: unknown, hash: string}[]} */ this.entries = [{ state: null, hash: "" }];
    this.history = {
      pushState: (/** @type {unknown} */ state, /** @type {string} */ _, hash = this.location.hash) => {
        this.entries.push({ state, hash });
        this.location.hash = hash;
      },
      replaceState: (/** @type {unknown} */ state, /** @type {string} */ _, hash = this.location.hash) => {
        this.entries[this.entries.length - 1] = { state, hash };
        this.location.hash = hash;
      },
    };
    Object.assign(globalThis, { location: this.location, history: this.history });
  }

  /** The addresses of all entries. */
  get hashes() { return this.entries.map(({ hash }) => hash); }
}

/** A scene without places. @returns {Scene} */
export const nothing = () => ({ sites: [], marks: {}, paths: [], note: "" });

/** A measure. @param {Partial<Measure> & {metric: string}} about @returns {Measure} */
export function measure(about) {
  const usual = { evaluator: "own", kind: "int", direction: "max", unit: "", description: "", headline: 0, words: [] };
  return { title: about.metric, ...usual, ...about };
}
