// Pictures and chips of all levels of a file, in the background.
// @ts-check
import { ask } from "./api.js";

export class Measuring {
  /** @param {any} page `strip`, `trouble`, and `remember` */
  constructor(page) {
    this.page = page;
    /** @type {AbortController | null} */ this.own = null;
  }

  /**
   * Draw and measure the levels that have changed; a later call ends an earlier one.
   * @param {any} file `domain`, `format`, `text`, its hash `textHash` and its `sheet` @param {boolean} usable
   */
  async run(file, usable) {
    this.own?.abort();
    const own = (this.own = new AbortController());
    const { domain, format, text, textHash } = file, { strip } = this.page, asked = { domain, format, text };
    if (!domain || !usable) return;
    try {
      let palette = [];
      for await (const found of ask("project_pictures", { ...asked, known: [...strip.scenes.keys()] }, own.signal)) {
        if (found.palette) palette = found.palette;
        else if (found.scene) strip.picture(found, palette);
      }
      for await (const chip of ask("project_chips", { ...asked, known: [...strip.chips.keys()] }, own.signal)) {
        if (chip.state) strip.chip(chip);
      }
      if (text !== file.text || own.signal.aborted) return;
      const count = (state) => file.sheet.pieces.filter(({ hash }) => strip.chips.get(hash)?.state === state).length;
      this.page.remember({ chips: { hash: textHash, solved: count("solved"), unsolvable: count("unsolvable") } });
    } catch (error) {
      if (!error.lost) this.page.trouble(error); // that the server is gone is said beside the file
    }
  }
}
