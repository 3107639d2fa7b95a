// Whether the server answers: what is said while it does not, and what goes on as soon as it does again.
// @ts-check
import { isLost, read, whenLost } from "./api.js";
import { $, attempt, sentence } from "./base.js";

const AGAIN = 1000;

export class Connection {
  /** @param {() => unknown} back goes on with what waits for the server */
  constructor(back) {
    this.back = back;
    this.timer = 0;
    whenLost((error) => this.#lost(error));
  }

  /** @param {Error} error */
  #lost(error) {
    $("lost").textContent = sentence(error);
    $("lost").hidden = false;
    if (!this.timer) this.#look();
  }

  #look() {
    this.timer = setTimeout(async () => {
      try {
        await read("settings");
      } catch (error) {
        if (isLost(error)) return this.#look();
      }
      this.timer = 0;
      $("lost").hidden = true;
      return attempt(() => this.back());
    }, AGAIN);
  }
}
