// The picture of a mark, painted square by square in a small window, while the board shows it.
// @ts-check
import { one } from "./api.js";
import { $, attempt, el } from "./base.js";
import { MirrorButton } from "./mirror.js";
import { CanvasView } from "./workshop_canvas.js";
import { field, put, radios } from "./workshop_settings.js";

/** A change of the picture: painted places, or a setting. @typedef {{how: "paint", points: Point[], mark: string} |
 *   {how: "set", key: string, value: Setting["value"]}} Touch */

export class ArtDialog {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {Art | null} */ this.found = null;
    /** The text that was read. */ this.text = "";
    /** The picture that is shown. */ this.name = "";
    /** @type {Touch[]} Changes that are not in the text yet. */ this.queue = [];
    /** @type {Promise<void>} */ this.working = Promise.resolve();
    const said = (/** @type {string} */ words) => { $("art-said").textContent = words; };
    this.mirror = new MirrorButton("art-mirror", said);
    const painted = (/** @type {string} */ _, /** @type {Point[]} */ points, /** @type {string} */ mark) =>
      this.#touch({ how: "paint", points, mark });
    this.view = new CanvasView($("art-board"), painted, said, this.mirror);
    this.view.isFixed = true;
    $("art-marks").after(this.mirror.part);
    $("art-open").onclick = () => attempt(() => this.open());
    $("art-close").onclick = () => $("art").close();
    $("art-of").onchange = () => attempt(() => this.#read($("art-of").value));
    $("art-board").addEventListener("board-letter", ({ detail: { key } }) => this.mirror.key(key) || this.#choose(key));
    $("art").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") $("art").close();
      event.stopPropagation(); // keys of the page mean the board behind
    });
    $("art").addEventListener("close", () => $("art-open").focus());
  }

  /** Open the picture of the mark that is chosen. */
  async open() {
    await this.#read(this.state.bench.mark);
    if (!$("art").open) $("art").show();
    $("art-board").focus();
  }

  /** Follow the text of the project. */
  follow() {
    const { art, text, sheet } = this.state.panels.project, isShown = art && Boolean(this.state.opened?.ofProject);
    $("art-open").hidden = !isShown;
    if (!isShown) $("art").close();
    if ($("art").open && !this.queue.length && text !== this.text && sheet.usable) attempt(() => this.#read(this.name));
  }

  /** Read a picture from the text. @param {string} canvas its name; that of the first if there is none of this name */
  async #read(canvas) {
    const { project } = this.state.panels;
    await project.isPut();
    const { domain, format, text } = project;
    this.#take(await one("art", { domain, format, text, canvas }), text);
  }

  /** @param {Art} found @param {string} text */
  #take(found, text) {
    Object.assign(this, { found, text, name: found.canvas.id });
    this.#show();
  }

  /** Show a change at once, and have it written after those before it. @param {Touch} what */
  #touch(what) {
    this.queue.push(what);
    this.#show();
    this.working = this.working.then(() => attempt(() => this.#write(what))).then(() => this.#show());
  }

  /** @param {Touch} what */
  async #write(what) {
    try {
      const { project } = this.state.panels, { title = "" } = this.found?.canvas ?? {};
      await project.isPut();
      const { domain, format, text } = project, asked = { domain, format, text, canvas: this.name };
      const isSet = what.how === "set";
      const change = isSet ? what : { how: "paint", mark: what.mark, sites: this.view.sitesAt(what.points) };
      const found = await one("art_change", { ...asked, ...change });
      if (text !== project.text) throw new Error("The text was changed meanwhile: do it again.");
      this.queue.shift();
      this.#take(found, found.text);
      await project.repainted(found, `picture of ${title}`);
    } finally {
      this.queue = this.queue.filter((each) => each !== what);
    }
  }

  /** Choose a colour by its name. @param {string} mark */
  #choose(mark) {
    if (!this.found?.canvas.marks.some(({ name }) => name === mark)) return;
    this.view.mark = mark;
    this.#show();
  }

  #show() {
    if (!this.found) return;
    const { names, canvas } = this.found;
    const pending = this.queue.flatMap((each) => (each.how === "paint" ? [each] : []));
    this.view.show(canvas, pending, this.state.panels.project.file);
    $("art-board").setAttribute("aria-label", `picture of ${canvas.title}`);
    put($("art-of"), names.map(([value, title]) => el("option", { value, selected: value === canvas.id }, title)));
    const made = canvas.marks.map(({ name, title = name, colour = "" }) => {
      const about = { role: "radio", "aria-checked": String(name === this.view.mark), "aria-label": title, title };
      const shown = { class: "colour", "data-key": name, onclick: () => this.#choose(name) };
      const button = el("button", { ...about, ...shown }, title === "transparent" ? "∅" : "");
      button.style.background = colour;
      return button;
    });
    const group = el("span", { role: "radiogroup", "aria-label": "colour to paint with" }, ...made);
    put($("art-marks"), [radios(group, made)]);
    const chosen = canvas.marks.findIndex(({ name }) => name === this.view.mark);
    const settings = canvas.settings.filter((_, at) => at === chosen || at === canvas.marks.length);
    put($("art-settings"), settings.flatMap((each) => [
      el("h3", {}, each.value ? `Make ${each.title}` : "Add a colour"),
      field(each, (value) => this.#touch({ how: "set", key: each.key, value })),
    ]));
  }
}
