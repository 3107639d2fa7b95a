// Share: what goes into the page for a friend, and a picture that moves of what was played.
// @ts-check
import { $, all, attempt, copied, el } from "./base.js";
import { CHAT } from "./documents.js";
import { linked } from "./linked.js";
import { record } from "./running.js";
import { counted } from "./words.js";

/** What is said of chosen levels, by the state of their chips; one without a chip is not tried yet. */
const SAID = /** @type {const} */ ([
  ["unsolvable", "cannot be solved"], ["fault", "cannot be read, and is left out", "cannot be read, and are left out"],
  ["unknown", "may have no solution: none is known"], ["", "is not tried yet", "are not tried yet"],
]);

/** Numbers in a sentence: "1", "1 and 4", "1, 2 and 4". @param {number[]} numbers */
const listed = (numbers) => [numbers.slice(0, -1).join(", "), String(numbers.at(-1))].filter(Boolean).join(" and ");

export class ShareDialog {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    $("share").onclick = () => this.#open();
    $("share-close").onclick = () => $("share-dialog").close();
    $("share-levels").onchange = () => this.#tell();
    $("share-all").onclick = () => this.#choose(() => true);
    $("share-solved").onclick = () => this.#choose((at) => this.#chip(at) === "solved");
    $("share-address").onclick = () => attempt(() => this.#address());
    $("share-make").onclick = () => attempt(() => this.#make());
    $("play-gif").onclick = () => attempt(() => this.#gif());
  }

  /** The levels of the open file; none if the content stands alone. */
  get #levels() {
    const { opened, panels } = this.state;
    return opened?.ofProject ? panels.project.sheet.pieces.filter(({ kind }) => kind === "content") : [];
  }

  /** What is known of a level: the state of its chip; '' if nothing is. @param {number} at */
  #chip(at) {
    return this.state.panels.project.strip.chips.get(this.#levels[at]?.hash ?? "")?.state ?? "";
  }

  /** The numbers of the chosen levels, from 1. */
  get #chosen() {
    const ticks = all($("share-levels"), "input");
    return ticks.flatMap((tick, at) => (tick instanceof HTMLInputElement && tick.checked ? [at + 1] : []));
  }

  #open() {
    const levels = this.#levels, { project } = this.state.panels, word = project.word;
    const [, several] = this.state.wordsOf(this.state.bench.domain);
    $("share-levels-part").hidden = levels.length < 2;
    $("share-which").textContent = `Which ${several}`;
    $("share-levels").replaceChildren(...levels.map(({ title }, at) => {
      const name = `${word[0].toUpperCase()}${word.slice(1)} ${at + 1}${title ? `: ${title}` : ""}`;
      const chip = SAID.find(([state]) => state === this.#chip(at));
      const about = chip && chip[0] ? ` – ${chip[1]}` : "";
      return el("li", {}, el("label", {}, el("input", { type: "checkbox", checked: "true" }), ` ${name}${about}`));
    }));
    this.#tell();
    $("share-dialog").showModal();
  }

  /** @param {(at: number) => boolean} wanted */
  #choose(wanted) {
    for (const [at, tick] of all($("share-levels"), "input").entries())
      if (tick instanceof HTMLInputElement) tick.checked = wanted(at);
    this.#tell();
  }

  /** Say which of the chosen levels cannot be solved. */
  #tell() {
    const levels = this.#levels, isWhole = levels.length < 2;
    const chosen = isWhole ? levels.map((_, at) => at + 1) : this.#chosen;
    const words = this.state.wordsOf(this.state.bench.domain);
    const sentences = SAID.flatMap(([state, one, several]) => {
      const own = chosen.filter((number) => this.#chip(number - 1) === state);
      if (!own.length) return [];
      const subject = isWhole ? "It" : `${words[own.length > 1 ? 1 : 0]} ${listed(own)}`;
      return [`${subject[0].toUpperCase()}${subject.slice(1)} ${own.length > 1 ? several ?? one : one}.`];
    });
    $("share-told").textContent = chosen.length || isWhole ? sentences.join(" ") : "Choose at least one.";
    $("share-make").disabled = !isWhole && !chosen.length;
  }

  /** Copy an address that holds all of the open text, and say how long it is. */
  async #address() {
    const { bench, panels } = this.state, { domain, ofProject } = bench;
    if (ofProject) await panels.project.isPut();
    const source = ofProject ? panels.project.text : bench.text;
    const address = `${location.origin}/${await linked({ domain, source })}`;
    $("share-dialog").close();
    const cut = address.length > CHAT ? ", more than some chat programs take in a message: send the file then" : "";
    await copied(address, "Address", `It has ${counted(address.length, "letter")}${cut}.`);
  }

  async #make() {
    const { bench, panels } = this.state, { domain, ofProject, text } = bench, levels = this.#levels;
    const chosen = this.#chosen, isPart = levels.length > 1 && chosen.length < levels.length;
    $("share-dialog").close();
    if (ofProject) await panels.project.flush();
    $("shared").hidden = false;
    const has = Object.fromEntries(/** @type {const} */ (["hints", "solutions", "numbers", "warnings"])
      .map((name) => [name, $(`share-${name}`).checked]));
    const request = { job: "share", domain, text, file: ofProject ? panels.project.file : "", ...has };
    await record(this.state, isPart ? { ...request, levels: chosen } : request, $("shared"));
  }

  /** Say what the button of the picture makes now. @param {number} taken how many moves were made */
  follow(taken) { $("play-gif").textContent = taken ? "GIF of what was played" : "GIF of a solution"; }

  async #gif() {
    const { bench, panels } = this.state, { domain, ofProject, text } = bench, { taken } = panels.play;
    $("gif-said").hidden = false;
    const file = ofProject ? panels.project.file : "";
    await record(this.state, { job: "gif", domain, text, file, taken }, $("gif-said"));
  }
}
