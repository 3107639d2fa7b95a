// The files of a project.
// @ts-check
import { ask } from "./api.js";
import { $, el } from "./base.js";

const FEW = 50;
/** What kinds of files are called beside their names. @type {Record<string, string>} */
const WORDS = { query: "question", plan: "chapters", database: "data" };

export class Files {
  /** @param {State} state */
  constructor(state) {
    /** @type {ProjectFile[]} */ this.all = [];
    this.open = "";
    $("new-game").onclick = () => state.panels.first.making.inside();
    $("place-file").onchange = () => this.go($("place-file").value);
  }

  /** List the files. */
  async list() {
    const found = [];
    for await (const each of ask("project")) if (each.file) found.push(each);
    this.all = found;
    const texts = found.filter(({ kind }) => kind !== "database");
    $("place-file").replaceChildren(...texts.map(({ file }) => el("option", { value: file }, file)));
    const shown = found.length > FEW ? found.filter(({ kind }) => kind !== "other") : found;
    $("files").replaceChildren(...shown.map(({ file, kind, contents, title }) => {
      const words = wordsOf(kind, contents);
      const about = { "data-file": file, title: title ? `${title} (${file})` : file, onclick: () => this.go(file) };
      return el("li", {}, el("button", about, el("span", {}, file), el("small", {}, words)));
    }));
    this.select(this.open);
  }

  /** Show how many contents the open file has now. @param {{kind: string}[]} pieces */
  count(pieces) {
    const own = this.all.find(({ file }) => file === this.open);
    const shown = [...$("files").querySelectorAll("button")].find(({ dataset }) => dataset.file === this.open);
    if (!own || !shown?.lastElementChild) return;
    own.contents = pieces.filter(({ kind }) => kind === "content").length;
    shown.lastElementChild.textContent = wordsOf(own.kind, own.contents);
  }

  /** Mark the file that is open. @param {string} file */
  select(file) {
    this.open = file;
    $("place-file").value = file;
    for (const each of $("files").querySelectorAll("button")) {
      each.setAttribute("aria-current", String(each.dataset.file === file));
    }
  }

  /** Go where a file is looked at. @param {string} file */
  go(file) {
    const kind = this.all.find((each) => each.file === file)?.kind;
    if (kind === "plan" && !file.includes("/")) location.hash = `#curricula/${encodeURIComponent(file)}`;
    else if (kind === "query" && !file.includes("/")) location.hash = `#ask/${encodeURIComponent(file)}`;
    else if (kind === "database") location.href = "data/";
    else location.hash = `#file/${encodeURIComponent(file)}/`;
  }

  /** The address of the file that was open last; of another one, if it is gone. @param {Kept} kept */
  first({ file: before, piece = 0 }) {
    const isKnown = this.all.some(({ file }) => file === before);
    const file = isKnown ? before : this.all.find(({ kind }) => kind === "document")?.file;
    return file ? `#file/${encodeURIComponent(file)}/${isKnown ? piece + 1 : ""}` : "";
  }

}

/** What stands beside a file. @param {string} kind @param {number} [contents] how many it has, if it is a game */
function wordsOf(kind, contents) { return contents && contents > 1 ? String(contents) : WORDS[kind] ?? ""; }
