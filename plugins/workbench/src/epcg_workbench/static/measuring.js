// Pictures and chips of all levels of a file, in the background.
// @ts-check
import { ask, isLost } from "./api.js";
import { trouble } from "./base.js";

export class Measuring {
  /** @param {import("./strip.js").Strip} strip @param {(keep: Kept) => void} remember */
  constructor(strip, remember) {
    this.strip = strip;
    this.remember = remember;
    /** @type {AbortController | null} */ this.own = null;
  }

  /**
   * Draw and measure the levels that have changed; a later call ends an earlier one.
   * @param {{domain: string, format: string, text: string, textHash: string, sheet: Sheet}} file
   * @param {boolean} usable
   */
  async run(file, usable) {
    this.own?.abort();
    const own = (this.own = new AbortController());
    const { domain, format, text, textHash } = file, { strip } = this, asked = { domain, format, text };
    if (!domain || !usable) return;
    try {
      /** @type {Mark[]} */ let palette = [];
      for await (const found of ask("project_pictures", { ...asked, known: [...strip.scenes.keys()] }, own.signal)) {
        if (found.palette) palette = found.palette;
        else if (found.scene) strip.picture(found.hash, found.scene, palette);
      }
      for await (const chip of ask("project_chips", { ...asked, known: [...strip.chips.keys()] }, own.signal)) {
        if (chip.state) strip.chip(chip);
      }
      if (text !== file.text || own.signal.aborted) return;
      /** @param {Chip["state"]} state */
      const count = (state) => file.sheet.pieces.filter(({ hash }) => strip.chips.get(hash)?.state === state).length;
      this.remember({ chips: { hash: textHash, solved: count("solved"), unsolvable: count("unsolvable") } });
    } catch (error) {
      if (!isLost(error)) trouble(error); // that the server is gone is said beside the file
    }
  }
}
