// The states of a file as a tree: what was undone before one went on stays a branch. The project keeps them. Undo
// and redo go along a list of the states in the order in which they came, where one may come back to an earlier one.
// @ts-check
import { ask, one } from "./api.js";

const MOST_PENDING = 300_000, MOST_SENT = 900_000, ONE_STEP = 2000;

/** @typedef {{key: string, parent: string, child: string, label: string, at: number, lane: number,
 *   text: string | null, digest: string}} State */

export class Steps {
  /**
   * @param {{restore: (text: string) => unknown, flush: () => unknown, changed: () => void,
   *   kind: () => {domain: string, format: string}}} page
   *   `restore` shows a text, `flush` saves, `changed` hears of every step
   */
  constructor(page) {
    this.page = page;
    /** @type {Map<string, State>} */ this.states = new Map();
    this.file = ""; this.at = "";
    /** @type {string[]} The states that undo and redo go to, by key. */ this.walk = [];
    /** Where the current state is among them. */ this.place = -1;
    /** Older saves that the project no longer remembers. */ this.dropped = 0;
    /** @type {State[]} What is not in the project's history yet. */ this.pending = [];
    /** @type {Map<string, string>} What states look like, as far as it was asked. */ this.pictures = new Map();
  }

  /**
   * Begin with a file as it is now, and with what the project knows of it.
   * @param {string} file @param {string} text @param {string} hash
   */
  async open(file, text, hash) {
    if (file === this.file) return this.take(text, hash, "read again");
    Object.assign(this, { file, at: "", walk: [], place: -1, pending: [], pictures: new Map() });
    const states = new Map();
    let dropped = 0;
    for await (const found of ask("project_history", { file })) {
      if ("dropped" in found) { dropped = found.dropped; continue; }
      const { digest, parent, at, label, lane } = found;
      const key = digest.slice(0, 16), words = label || (parent ? "saved" : "first seen"), time = Date.parse(at);
      const state = { key, parent: parent.slice(0, 16), child: "", label: words, at: time, lane, text: null, digest };
      states.set(key, state);
      const above = states.get(state.parent);
      if (above) above.child = state.key;
    }
    if (file !== this.file) return;
    this.states = states; this.dropped = dropped;
    if (states.has(hash)) {
      this.at = hash;
      this.#way(hash);
      this.#follow(hash);
    } else this.take(text, hash, states.size ? "changed elsewhere" : "as opened");
    this.page.changed();
  }

  /**
   * Take what the file holds now as a step from what it held.
   * @param {string} text @param {string} hash @param {string} label
   */
  take(text, hash, label) {
    if (hash === this.at || !this.file) return;
    const known = this.states.get(hash), before = this.states.get(this.at), walk = this.walk.slice(0, this.place + 1);
    if (known) walk.push(hash);
    else {
      const now = Date.now();
      const isTyped = label === "text" && before?.label === "text" && !before.child;
      const goesOn = isTyped && this.pending.at(-1) === before && now - before.at < ONE_STEP;
      if (before && goesOn) {
        this.states.delete(before.key);
        this.pending.pop();
        walk.forEach((key, place) => { if (key === before.key) walk[place] = hash; });
      } else walk.push(hash);
      const parent = (goesOn ? before?.parent : before?.key) ?? "";
      const state = { key: hash, parent, child: "", label, at: now, lane: this.#lane(parent), text, digest: "" };
      this.states.set(hash, state);
      this.pending.push(state);
    }
    this.at = hash;
    this.walk = walk;
    this.place = walk.length - 1;
    this.#way(hash);
    if (this.pending.reduce((sum, each) => sum + (each.text?.length ?? 0), 0) > MOST_PENDING) this.page.flush();
    this.page.changed();
  }

  /** The lane of a new state: that of its parent, or a new one if that has gone on already. @param {string} parent */
  #lane(parent) {
    const lanes = [...this.states.values()], above = this.states.get(parent);
    if (above && !lanes.some((each) => each.parent === parent)) return above.lane;
    return lanes.length ? Math.max(...lanes.map((each) => each.lane)) + 1 : 0;
  }

  /** Let redo lead to a state. @param {string} key */
  #way(key) {
    const state = this.states.get(key), above = this.states.get(state?.parent ?? "");
    if (above) above.child = key;
  }

  /** Let undo lead to what a state came from, and redo to what came from it. @param {string} key */
  #follow(key) {
    const walk = [key], known = (/** @type {string | undefined} */ other) => this.states.has(other ?? "");
    for (let state = this.states.get(key); state && known(state.parent); state = this.states.get(state.parent)) {
      walk.unshift(state.parent);
    }
    this.place = walk.length - 1;
    for (let state = this.states.get(key); state && known(state.child); state = this.states.get(state.child)) {
      walk.push(state.child);
    }
    this.walk = walk;
  }

  get canUndo() { return this.place > 0; }
  get canRedo() { return this.place + 1 < this.walk.length; }
  undo() { return this.#turn(this.place - 1); }
  redo() { return this.#turn(this.place + 1); }

  /** @param {number} place */
  async #turn(place) {
    const { walk } = this;
    if (place in walk) await this.#show(walk[place], () => { if (walk === this.walk) this.place = place; });
  }

  /** Go to a state. @param {string} key */
  async go(key) { if (key !== this.at) await this.#show(key, () => this.#follow(key)); }

  /** @param {string} key @param {() => void} come sets where undo and redo go from there */
  async #show(key, come) {
    const state = this.states.get(key);
    if (!state) return;
    const { file } = this, text = state.text ?? (await one("project_state", { digest: state.digest })).text;
    if (file !== this.file) return;
    state.text = text;
    this.at = key;
    this.#way(key);
    come();
    this.page.changed();
    await this.page.restore(text);
  }

  /** The states as rows of a list, the newest first. */
  rows() {
    const states = [...this.states.values()].reverse();
    return states.map(({ key, parent, label, lane, at }) => (
      { key, parent: this.states.has(parent) ? parent : "", label, lane, at, isCurrent: key === this.at }
    ));
  }

  /** The picture of the level in which a state differs from the one before; '' for none. @param {string} key */
  async picture(key) {
    const state = this.states.get(key), before = this.states.get(state?.parent ?? ""), kind = this.page.kind();
    if (!state || !kind.domain) return "";
    const known = this.pictures.get(key);
    if (known !== undefined) return known;
    const own = state.digest ? { digest: state.digest } : { text: state.text };
    const from = before?.digest ? { parent: before.digest } : { beside: before?.text ?? "" };
    const { svg } = await one("project_look", { ...own, ...from, ...kind });
    this.pictures.set(key, svg);
    return svg;
  }

  /**
   * What the next save tells the history: the newest states, as far as one request has room for them.
   * @param {string} text what is saved, which the state of that text need not repeat
   */
  unsaved(text) {
    const all = [...this.pending], sent = [];
    let room = MOST_SENT - bytes(text);
    for (const state of [...all].reverse()) {
      room -= state.text === text ? 0 : bytes(state.text ?? "");
      if (room < 0) break;
      sent.unshift(state);
    }
    const told = sent.map((state) => {
      const { text: held, parent, label } = state;
      return held === text ? { parent, label } : { text: held, parent, label };
    });
    return { all, sent, told };
  }

  /** Hear that states are in the history. @param {{all: State[], sent: State[]}} states */
  async saved({ all, sent }) {
    const done = new Set(all);
    this.pending = this.pending.filter((each) => !done.has(each));
    for (const state of sent) state.digest = await digestOf(state.text ?? "");
  }
}

/** The size of a text in a request. @param {string} text */
const bytes = (text) => new TextEncoder().encode(JSON.stringify(text)).length;

/** The digest by which the history knows a text. @param {string} text */
async function digestOf(text) {
  const found = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(found)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
