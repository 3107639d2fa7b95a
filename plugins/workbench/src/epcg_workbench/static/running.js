// Runs that the server has started: their states as they come, in words, with a bar and a button that stops them.
// @ts-check
import { ask, one } from "./api.js";
import { attempt, el, trouble } from "./base.js";
import { counted, seconds } from "./words.js";
import "./waits.js";

/** What commands do, by the first words of their titles. @type {Record<string, string>} */
const DOING = {
  build: "Building the plan", export: "Writing the export", share: "Making the page", gif: "Making the GIF",
};

/**
 * Start a run and follow it in an element.
 * @param {State} state @param {Record<string, unknown>} request @param {HTMLElement} where
 */
export function record(state, request, where) {
  trouble(null);
  where.textContent = "Starting.";
  return track(state, ask("/record", request), where);
}

/**
 * Show the states of a run as they come: it goes on by itself, so the page is not busy.
 * @param {State} state @param {AsyncIterable<RunState>} states @param {HTMLElement} where
 */
export async function track(state, states, where) {
  let last = null;
  try {
    for await (const message of states) where.replaceChildren(...told(state, (last = message)));
  } catch (error) {
    where.textContent = "";
    trouble(error);
  }
  return last;
}

/**
 * A run's state in words, with a button that stops it.
 * @param {State} page @param {RunState} message @returns {Child[]}
 */
export function told({ settings }, { number, state, progress, runs, error, says, file, title }) {
  if (state === "running") return underWay(number, progress, says && (DOING[title.split(" ")[0]] ?? "Working"));
  if (state === "finished" && file) return ["Written: ", opening(file, says)];
  if (state === "finished" && says) return [says];
  const kept = `Kept (run ${(runs ?? []).join(", ")}).`;
  if (state === "finished") return [el("span", { title: settings.db }, kept)];
  if (state === "stopped") return ["Stopped. What is recorded stays; recording it again goes on from there."];
  return [error];
}

/** A link that opens a file which was written, beside the page.
 * @param {string} file @param {string} title @param {string} [words] its name if there are none */
export function opening(file, title, words = file) {
  return el("a", { href: `exported/${encodeURIComponent(file)}`, target: "_blank", rel: "noopener", title }, words);
}

/** @param {number} number @param {Partial<Progress>} progress @param {string} doing what it does, if not recording
 * @returns {Child[]} */
function underWay(number, { total = 0, done = 0, unit = "", eta_s }, doing) {
  const end = () => attempt(() => one(`/runs/${number}/stop`));
  const stop = el("button", { onclick: end }, doing ? "Stop" : "Stop the run");
  if (!total) return [el("progress", { class: "run" }), doing ? `${doing}. ` : "Recording: starting. ", stop];
  const bar = el("progress", { class: "run", max: total, value: done });
  const left = eta_s ? `, about ${seconds(eta_s)} left` : "";
  const counts = `${done.toLocaleString("en")} of ${counted(total, unit.replace(/s$/, ""))}`;
  return [bar, `${doing || "Recording"}: ${counts}${left}. `, stop];
}
