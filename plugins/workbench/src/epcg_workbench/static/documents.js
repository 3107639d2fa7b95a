// The document of the board: its size, its text, copies and pictures of it.
// @ts-check
import { one } from "./api.js";
import { copied, download, png } from "./base.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

export class DocumentButtons {
  /** @param {any} page `board`, `attempt`, `step(message, label)`, `bench()`, `palette()` */
  constructor(page) {
    this.page = page;
    const { board, attempt, bench } = page;
    $("apply-size").onclick = () => attempt(() => this.#resize());
    $("copy").onclick = () => copied(bench().text, "Text");
    $("copy-address").onclick = () => copied(location.href, "Address");
    $("save").onclick = () => download(`${bench().domain}.txt`, bench().text, "text/plain");
    $("svg").onclick = () => download(`${bench().domain}.svg`, board.picture().text, "image/svg+xml");
    $("png").onclick = () => attempt(() => png(`${bench().domain}.png`, board.picture()));
    $("read-text").onclick = () => attempt(() => this.#read());
  }

  /** Show the size of the board, if it has columns and rows. */
  size() {
    const named = this.page.bench().scene.sites.map(([id]) => id).filter((id) => /^c\d+,\d+$/.test(id));
    const cells = named.map((id) => id.slice(1).split(",").map(Number));
    if (!cells.length) return;
    $("columns").value = Math.max(...cells.map(([x]) => x));
    $("rows").value = Math.max(...cells.map(([, y]) => y));
    $("size").textContent = `${$("columns").value} × ${$("rows").value}`;
  }

  async #resize() {
    const { domain, text } = this.page.bench();
    const size = { columns: Number($("columns").value), rows: Number($("rows").value) };
    this.page.step(await one("resize", { domain, text, ...size }), "resized");
  }

  async #read() {
    const bench = this.page.bench();
    const opened = await one("open", { domain: bench.domain, text: $("text").value });
    bench.palette = opened.palette;
    bench.turned = new Set();
    this.page.palette().show();
    this.page.step(opened, "text");
  }
}
