// The dialogs that make a game: a name and a place, a board of a known kind, a kind of one's own.
// @ts-check
import { one } from "./api.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

export class MakeDialog {
  /** @param {any} page see first.js; `picture(svg)` makes an image */
  constructor(page) {
    this.page = page;
    /** @type {{name: string, text: string, belongs: string} | null} */ this.taken = null;
    for (const dialog of ["make-dialog", "known-dialog", "own-dialog"]) {
      $(dialog).querySelector("[data-close]").onclick = () => $(dialog).close();
    }
    $("make-form").onsubmit = (event) => { event.preventDefault(); this.#make(); };
    $("make-dialog").onchange = () => this.#places();
    $("make-name").oninput = () => this.#places();
  }

  /** Begin in one of the ways that the first page shows. @param {string} how */
  open(how) {
    if (how === "rules") return this.#name(null, "my-game");
    if (how === "own") return $("own-dialog").showModal();
    return this.#known();
  }

  /**
   * Make a project of a file, or put it into the open one.
   * @param {{name: string, text: string, belongs: string}} file
   */
  file(file) { this.#name(file, file.name.replace(/\.[^.]*$/, "").replace(/[?%#"'`\\/:*<>|]/g, "-")); }

  #name(file, name) {
    const { project, folder } = this.page.settings();
    this.taken = file;
    $("make-heading").textContent = file ? `Open ${file.name}` : "A game of rules and levels";
    $("make-about").textContent = file ? `${file.belongs} So it needs a folder, in which all of it is kept.`
      : "It begins with three small levels and one rule. Draw, play and change them; everything is kept in one folder.";
    $("make-places").hidden = !project;
    $("make-inside-words").textContent = `a file of ${folder}`;
    $("make-name").value = name;
    $("make-trouble").textContent = "";
    (file && project ? $("make-inside") : $("make-beside")).checked = true;
    this.#places();
    $("make-dialog").showModal();
    $("make-name").select();
  }

  get #isInside() { return this.page.settings().project && $("make-inside").checked; }

  #places() {
    const { base, folder } = this.page.settings(), name = $("make-name").value.trim() || "…";
    const inside = `${folder} gets the file ${this.#file(name)}.`;
    $("make-where").textContent = this.#isInside ? inside : `The folder is ${base}/${name}`;
  }

  /** The name of the file that is made inside of the project. @param {string} name */
  #file(name) { return `${name}${this.taken ? (/\.[^.]*$/.exec(this.taken.name)?.[0] ?? "") : ".txt"}`; }

  async #make() {
    const name = $("make-name").value, { taken } = this;
    $("make-go").disabled = true;
    try {
      await this.page.flush();
      const more = taken ? { text: taken.text } : {};
      if (this.#isInside) {
        const { file } = await one("project_new", { file: this.#file(name.trim()), ...more });
        return enter(`#file/${encodeURIComponent(file)}/`);
      }
      const { file } = await one("/project", { name, ...more, ...(taken ? { file: this.#file(name.trim()) } : {}) });
      enter(file ? `#file/${encodeURIComponent(file)}/` : "");
    } catch (error) {
      $("make-trouble").textContent = String(error.message ?? error);
      $("make-name").focus();
    } finally { $("make-go").disabled = false; }
  }

  #known() {
    const { el, attempt, domains, adopt, picture } = this.page;
    $("known").replaceChildren();
    $("known-trouble").textContent = "";
    $("known-dialog").showModal();
    const size = (id) => ($(id).value ? { [id.replace("known-", "")]: Number($(id).value) } : {});
    const make = async (domain) => {
      try {
        adopt(await one("new", { domain, ...size("known-columns"), ...size("known-rows") }));
        $("known-dialog").close();
      } catch (error) { $("known-trouble").textContent = String(error.message ?? error); }
    };
    attempt(async () => {
      for (const { domain, title, word, size: [columns, rows] } of domains()) {
        const button = el("button", { "data-title": "new", onclick: () => make(domain) },
          el("span", { class: "picture" }),
          el("span", { class: "name" }, title),
          el("small", {}, `new ${word[0]}, usually ${columns} × ${rows}`));
        $("known").append(el("li", { "data-domain": domain }, button));
        const { svg } = await one("examples", { domain });
        if (svg) button.querySelector(".picture").append(picture(svg));
      }
    });
  }
}

/** Load the page again at an address: the server has opened another project. @param {string} address */
export function enter(address) {
  history.replaceState(null, "", location.pathname + address);
  location.reload();
}
