// The document of the board: its size, its text, copies and pictures of it.
// @ts-check
import { one } from "./api.js";
import { $, attempt, copied, download, png } from "./base.js";
import { step } from "./bench.js";

export class DocumentButtons {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    const { board } = state, name = (/** @type {string} */ ending) => `${state.bench.domain}.${ending}`;
    $("apply-size").onclick = () => attempt(() => this.#resize());
    $("copy").onclick = () => copied(state.bench.text, "Text");
    $("copy-address").onclick = () => copied(location.href, "Address");
    $("save").onclick = () => download(name("txt"), state.bench.text, "text/plain");
    $("svg").onclick = () => download(name("svg"), board.picture().text, "image/svg+xml");
    $("png").onclick = () => attempt(() => png(name("png"), board.picture()));
    $("read-text").onclick = () => attempt(() => this.#read());
  }

  /** Show the size of the board, if it has columns and rows. */
  size() {
    const named = this.state.bench.scene.sites.map(([id]) => id).filter((id) => /^c\d+,\d+$/.test(id));
    const cells = named.map((id) => id.slice(1).split(",").map(Number));
    if (!cells.length) return;
    $("columns").value = String(Math.max(...cells.map(([x]) => x)));
    $("rows").value = String(Math.max(...cells.map(([, y]) => y)));
    $("size").textContent = `${$("columns").value} × ${$("rows").value}`;
  }

  async #resize() {
    const { domain, text } = this.state.bench;
    const size = { columns: Number($("columns").value), rows: Number($("rows").value) };
    step(this.state, await one("resize", { domain, text, ...size }), "resized");
  }

  async #read() {
    const { bench } = this.state;
    const opened = await one("open", { domain: bench.domain, text: $("text").value });
    bench.palette = opened.palette;
    bench.turned = new Set();
    this.state.panels.palette.show();
    step(this.state, opened, "text");
  }
}
