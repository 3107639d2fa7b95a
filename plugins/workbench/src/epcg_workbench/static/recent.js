// The content that is open outside of a project is remembered on this machine, a moment after each change.
// @ts-check
import { one } from "./api.js";

const KEEP_AFTER = 500;
const SLOT = sessionStorage.getItem("epcg:slot") || String(Date.now());
sessionStorage.setItem("epcg:slot", SLOT);

export class Recent {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.timer = 0;
    /** What is not yet remembered. @type {{slot: string, domain: string, text: string} | null} */
    this.unkept = null;
  }

  /** Have what is open remembered. */
  keep() {
    const { ofProject, domain, text } = this.state.bench;
    if (ofProject) return; // the project keeps it
    this.unkept = { slot: SLOT, domain, text };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keepNow(), KEEP_AFTER);
  }

  async keepNow() {
    clearTimeout(this.timer);
    const kept = this.unkept;
    this.unkept = null;
    if (kept) await one("recent_keep", kept).catch(() => { this.unkept ??= kept; }); // the address keeps it, too
  }
}
