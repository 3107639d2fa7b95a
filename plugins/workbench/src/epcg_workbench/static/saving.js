// The state of a file: saved a second after the last change, never over what another program has written.
// @ts-check
import { isLost, one } from "./api.js";
import { $, attempt, sentence } from "./base.js";

const AFTER = 1000, AGAIN = 5000, LOOK = 2000;

/** What is saved of the open file, and whether another program has changed it. */
export class Saving {
  /**
   * @param {{steps: import("./steps.js").Steps, reload: (file: string, why?: string) => unknown,
   *   kept: (file: string) => Promise<void>, isPending: () => boolean}} page
   *   `reload` and `kept` open a file again, `isPending` tells whether more is on the way into the text
   */
  constructor(page) {
    this.page = page;
    this.file = "";
    this.text = "";
    this.kept = "";
    /** @type {string | null} The digest of the file that the text is based on. */ this.digest = null;
    /** @type {Promise<void> | null} */ this.writing = null;
    this.conflict = false;
    this.timer = 0;
    $("elsewhere-reload").onclick = () => this.#reload();
    $("elsewhere-both").onclick = () => attempt(() => this.#keepBoth());
    addEventListener("beforeunload", (event) => { if (this.isDirty || page.isPending()) event.preventDefault(); });
    setInterval(() => this.#look(), LOOK);
  }

  get isDirty() { return this.file !== "" && this.text !== this.kept; }

  /** Begin with a file as it was read. @param {string} file @param {string} text @param {string | null} digest */
  open(file, text, digest) {
    clearTimeout(this.timer);
    Object.assign(this, { file, text, kept: text, digest, conflict: false });
    $("elsewhere").hidden = true;
    this.#say(file ? "saved" : "");
  }

  /** Take what the page holds now. @param {string} text */
  change(text) {
    this.text = text;
    if (this.conflict) return;
    clearTimeout(this.timer);
    if (!this.isDirty) return this.#say("saved");
    this.#say("changed");
    this.timer = setTimeout(() => this.#write(), AFTER);
  }

  /** Save now what is not saved yet; say whether all is saved. */
  async flush() {
    clearTimeout(this.timer);
    while (this.writing) await this.writing;
    if (this.isDirty && !this.conflict) await this.#write();
    return !this.isDirty;
  }

  /** Read the file again; what is given up for that is kept in its history. */
  async #reload() {
    const { isDirty } = this;
    await this.page.reload(this.file);
    if (isDirty) await this.#write(true);
  }

  /** @param {boolean} [tells] whether the history hears of states though the file is as it should be */
  #write(tells = false) {
    this.writing ??= this.#save(tells).finally(() => { this.writing = null; });
    return this.writing;
  }

  /** @param {boolean} tells */
  async #save(tells) {
    const { file, text, digest } = this;
    if ((!this.isDirty && !tells) || this.conflict) return;
    this.#say("saving");
    try {
      const steps = this.page.steps.unsaved(text);
      const found = await one("project_save", { file, text, saved: digest, steps: steps.told });
      if (file !== this.file) return;
      if (!found.changed) this.page.steps.saved(steps);
      if (found.changed) return this.#elsewhere(found.changed, found.saved);
      Object.assign(this, { digest: found.saved, kept: text });
      this.#say(found.note ? "noted" : this.isDirty ? "changed" : "saved", found.note);
      if (this.isDirty) this.#later(AFTER);
    } catch (error) {
      if (file !== this.file) return;
      if (isLost(error)) return this.#waits();
      this.#say("not", sentence(error));
      this.#later(AGAIN);
    }
  }

  /** @param {number} milliseconds */
  #later(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#write(), milliseconds);
  }

  /** Look whether the file is still what was read, and whether the server answers. */
  async #look() {
    const { file, digest } = this;
    if (!file || this.writing || this.conflict || document.hidden) return;
    try {
      const found = await one("project_digest", { file });
      if (file !== this.file || digest !== this.digest || this.writing || found.saved === digest) return;
      if (found.saved !== null && !this.isDirty) return this.page.reload(file, "Another program has changed it.");
      const what = found.saved === null ? "is gone" : "has been changed by another program";
      this.#elsewhere(`${file} ${what} since it was opened here. Reload it, or keep both.`, found.saved);
    } catch (error) {
      if (isLost(error)) this.#waits(); else this.#say("not", sentence(error));
    }
  }

  /** Say that nothing is saved until the server answers again. */
  #waits() { this.#say("not", "the workbench does not answer. It is saved as soon as it does."); }

  /** Go on, now that the server answers again. */
  async back() {
    if (!this.file || this.conflict) return;
    this.#say(this.isDirty ? "changed" : "saved");
    await this.flush();
    await this.#look();
  }

  /** @param {string} what has happened @param {string | null} digest of the file as it is */
  #elsewhere(what, digest) {
    clearTimeout(this.timer);
    this.conflict = true;
    $("elsewhere-what").textContent = what;
    $("elsewhere-reload").hidden = digest === null;
    $("elsewhere").hidden = false;
    this.#say("not", "another program has changed the file.");
  }

  async #keepBoth() {
    const { file, text } = this;
    const found = await one("project_keep", { file, text });
    if (file === this.file) this.kept = text; // though in another file
    await this.page.kept(found.file);
  }

  /** @param {string} state @param {string} [why] */
  #say(state, why = "") {
    const not = `Not saved: ${why}`;
    /** @type {Record<string, string>} */
    const words = { saved: "✓ saved", changed: "changed", saving: "saving …", noted: why, not };
    $("saving").textContent = words[state] ?? "";
    $("saving").dataset.state = state;
    $("saving").title = why;
  }
}
