// Runs that the server has started: their states as they come, in words, with a bar and a button that stops them.
// @ts-check
import { ask, one } from "./api.js";
import { counted, seconds } from "./words.js";

export class Running {
  /** @param {any} page `el`, `attempt`, `trouble` and `db`, the name of the database */
  constructor(page) {
    this.page = page;
  }

  /** Start a run and follow it in an element. @param {Record<string, any>} request @param {HTMLElement} where */
  async record(request, where) {
    this.page.trouble(null);
    where.textContent = "Starting.";
    return this.track(ask("/record", request), where);
  }

  /**
   * Show the states of a run as they come: it goes on by itself, so the page is not busy.
   * @param {AsyncIterable<any>} states @param {HTMLElement} where
   */
  async track(states, where) {
    let last = null;
    try {
      for await (const message of states) where.replaceChildren(...this.told((last = message)));
    } catch (error) {
      where.textContent = "";
      this.page.trouble(error);
    }
    return last;
  }

  /** A run's state in words, with a button that stops it. @param {any} message */
  told({ number, state, progress, runs, error, says }) {
    if (state === "running") return this.#underWay(number, progress, says);
    if (state === "finished" && says) return [says];
    const kept = `Kept (run ${(runs ?? []).join(", ")}).`;
    if (state === "finished") return [this.page.el("span", { title: this.page.db() }, kept)];
    if (state === "stopped") return ["Stopped. What is recorded stays; recording it again goes on from there."];
    return [error];
  }

  #underWay(number, progress, says) {
    const { el, attempt } = this.page;
    const stop = el("button", { onclick: () => attempt(() => one(`/runs/${number}/stop`)) }, "Stop the run");
    if (!progress.total) return [el("progress", { class: "run" }), says ? "Working. " : "Recording: starting. ", stop];
    const bar = el("progress", { class: "run", max: progress.total, value: progress.done });
    const left = progress.eta_s ? `, about ${seconds(progress.eta_s)} left` : "";
    const unit = progress.unit.replace(/s$/, "");
    const counts = `${progress.done.toLocaleString("en")} of ${counted(progress.total, unit)}`;
    return [bar, `${says ? "Working" : "Recording"}: ${counts}${left}. `, stop];
  }
}
