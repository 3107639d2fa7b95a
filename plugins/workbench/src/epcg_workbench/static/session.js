// What a project remembers of the page: file, level, page, mode and wish.
// @ts-check
import { isLost, one } from "./api.js";

const AFTER = 500;

export class Session {
  /** @param {(sentence: string) => void} note is told what cannot be remembered */
  constructor(note) {
    this.note = note;
    /** @type {Kept} What is kept of the last session. */ this.kept = {};
    /** @type {Kept} What is to be kept of this one. */ this.keeps = {};
    this.timer = 0;
  }

  /** Read what is kept. */
  async read() { return (this.kept = (await one("project_session")).session ?? {}); }

  /** Keep something, a moment later. @param {Kept} keep */
  remember(keep) {
    clearTimeout(this.timer);
    this.keeps = { ...this.keeps, ...keep };
    this.timer = setTimeout(() => {
      const kept = this.keeps;
      this.keeps = {};
      one("project_session", { keep: kept }).catch((error) => {
        if (isLost(error)) this.keeps = { ...kept, ...this.keeps }; else this.note(error.message);
      });
    }, AFTER);
  }
}
