// The dialogs that make a game: a name and a place, a board of a known kind, a kind of one's own.
// @ts-check
import { one } from "./api.js";
import { $, attempt, el, seek, sentence } from "./base.js";
import { adopt } from "./bench.js";
import { picture } from "./pictures.js";

/** @typedef {Partial<Maker> & {name: string, text: string, belongs?: string, heading?: string}} Taken */

export class MakeDialog {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** What is made: a file that was taken, a game that is drawn, or null for the usual one. @type {Taken | null} */
    this.taken = null;
    for (const dialog of [$("make-dialog"), $("known-dialog"), $("own-dialog")]) {
      seek(dialog, "[data-close]")?.addEventListener("click", () => dialog.close());
    }
    $("make-form").onsubmit = (event) => { event.preventDefault(); this.#make(); };
    $("make-dialog").onchange = () => this.#places();
    $("make-name").oninput = () => this.#places();
  }

  /** Begin in one of the ways that the first page shows. @param {Maker} way */
  open({ how, text = "", ...way }) {
    if (how === "rules") return this.#name(null, "my-game");
    if (how === "drawn") return this.#name({ ...way, text, name: `game${way.ending}` }, "my-game");
    if (how === "own") return $("own-dialog").showModal();
    return this.#known();
  }

  /**
   * Make a project of a file, or put it into the open one.
   * @param {{name: string, text: string, belongs: string}} file
   */
  file(file) { this.#name(file, file.name.replace(/\.[^.]*$/, "").replace(/[?%#"'`\\/:*<>|]/g, "-")); }

  /**
   * Ask for the name of a further file of the open project.
   * @param {Taken | null} [file] what it holds; the usual game without it @param {string} [name]
   */
  inside(file = null, name = "game") {
    this.#name(file, name);
    $("make-inside").checked = true;
    this.#places();
  }

  /** Ask for the name of a file that begins with what stands on the board, to which others are added. */
  list() {
    const { bench } = this.state, [, several] = this.state.wordsOf(bench.domain), about = `A list of ${several}`;
    const belongs = `${about} is kept in a file, to which others are added.`;
    this.#name({ name: `${several}.txt`, text: bench.text, heading: about, belongs }, several);
  }

  /** @param {Taken | null} file @param {string} name */
  #name(file, name) {
    const { folder, project } = this.state.settings, isDrawn = Boolean(file?.canvas);
    this.taken = file;
    const opens = file ? `Open ${file.name}` : "A game of rules and levels";
    $("make-heading").textContent = file?.heading ?? (isDrawn ? file?.title ?? "" : opens);
    const begins = file?.belongs ?? "It begins with a small one.";
    $("make-about").textContent = isDrawn
      ? `${begins} Paint it as you like, add puzzles, play them; everything is kept in one folder.`
      : file ? `${file.belongs} So it needs a folder, in which all of it is kept.`
        : "It begins with three small levels and one rule. Draw, play and change them; all is kept in one folder.";
    $("make-places").hidden = !project;
    $("make-inside-words").textContent = `a file of ${folder}`;
    $("make-name").value = name;
    $("make-trouble").textContent = "";
    (file && !isDrawn && project ? $("make-inside") : $("make-beside")).checked = true;
    this.#places();
    $("make-dialog").showModal();
    $("make-name").select();
  }

  get #isInside() { return this.state.settings.project && $("make-inside").checked; }

  #places() {
    const { base, folder } = this.state.settings, name = $("make-name").value.trim() || "…";
    const file = this.#file(name), isTaken = this.state.panels.project.files.all.some((each) => each.file === file);
    const inside = isTaken ? `${folder} has a file ${file}: another name, or this one gets a number.`
      : `${folder} gets the file ${file}.`;
    $("make-where").textContent = this.#isInside ? inside : `The folder is ${base}/${name}`;
  }

  /** The name of the file that is made inside of the project. @param {string} name */
  #file(name) { return `${name}${this.taken ? (/\.[^.]*$/.exec(this.taken.name)?.[0] ?? "") : ".txt"}`; }

  async #make() {
    const name = $("make-name").value, { taken } = this;
    $("make-go").disabled = true;
    try {
      await this.state.panels.project.flush();
      const more = taken ? { text: await titled(taken, name.trim()) } : {};
      const at = encodeURIComponent(taken?.canvas ?? "");
      if (this.#isInside) {
        const { file } = await one("project_new", { file: this.#file(name.trim()), ...more });
        return enter(`#file/${encodeURIComponent(file)}/${at}`);
      }
      const called = taken ? { file: taken.canvas ? taken.name : this.#file(name.trim()) } : {};
      const { address, file } = await one("/project", { name, ...more, ...called });
      enter(file ? `#file/${encodeURIComponent(file)}/${at}` : "", address);
    } catch (error) {
      $("make-trouble").textContent = sentence(error);
      $("make-name").focus();
    } finally { $("make-go").disabled = false; }
  }

  #known() {
    $("known").replaceChildren();
    $("known-trouble").textContent = "";
    $("known-dialog").showModal();
    const size = (/** @type {HTMLInputElement} */ { id, value }) => (
      value ? { [id.replace("known-", "")]: Number(value) } : {});
    const make = async (/** @type {string} */ domain) => {
      try {
        const made = await one("new", { domain, ...size($("known-columns")), ...size($("known-rows")) });
        $("known-dialog").close();
        adopt(this.state, made);
      } catch (error) { $("known-trouble").textContent = sentence(error); }
    };
    attempt(async () => {
      for (const { domain, title, word, size: [columns, rows] } of this.state.domains) {
        const place = el("span", { class: "picture" });
        const button = el("button", { "data-title": "new", onclick: () => make(domain) },
          place,
          el("span", { class: "name" }, title),
          el("small", {}, `new ${word[0]}, usually ${columns} × ${rows}`));
        $("known").append(el("li", { "data-domain": domain }, button));
        const { svg } = await one("examples", { domain });
        if (svg) place.append(picture(svg));
      }
    });
  }
}

/**
 * The text of a file that is made; a game that is drawn gets its name as its title.
 * @param {Taken} file @param {string} name
 */
async function titled({ domain, format, text, titled: key }, name) {
  if (!key || !name) return text;
  const asked = { domain, format, text, how: "set", canvas: "", key, value: name };
  return (await one("workshop_change", asked)).text;
}

const ENTERED = "epcg:entered";

/** Whether the page was loaded by `enter`, which is told once. */
export function hasEntered() {
  const found = sessionStorage.getItem(ENTERED) !== null;
  sessionStorage.removeItem(ENTERED);
  return found;
}

/**
 * Load the page again at an address, or that of another project.
 * @param {string} address @param {string} [project] the address of the project
 */
export function enter(address, project = location.pathname) {
  sessionStorage.setItem(ENTERED, address);
  if (project !== location.pathname) { location.assign(project + address); return; }
  history.replaceState(null, "", project + address);
  location.reload();
}
