// The document of the board: its size, its text, copies and pictures of it.
// @ts-check
import { one } from "./api.js";
import { $, attempt, copied, download, png } from "./base.js";
import { addressOfContent, step } from "./bench.js";
import { counted } from "./words.js";

/** The letters that a message of Discord has room for ("message contents (up to 2000 characters)", its reference of
 * messages; Telegram takes 4,096). Browsers open longer ones than a content makes: Firefox 1,048,572 letters
 * (`network.standard-url.max-length`), Chromium 2 MB. */
export const CHAT = 2000;

export class DocumentButtons {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    const { board } = state, name = (/** @type {string} */ ending) => `${state.bench.domain}.${ending}`;
    $("apply-size").onclick = () => attempt(() => this.#resize());
    $("copy").onclick = () => copied(state.bench.text, "Text");
    $("copy-address").onclick = () => attempt(() => this.#copyAddress());
    $("make-list").onclick = () => state.panels.first.making.list();
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

  /** Copy an address that holds what is on the board, for a workbench on any machine; say if it is too long. */
  #copyAddress() {
    const address = `${location.origin}/${addressOfContent(this.state.bench)}`;
    const letters = counted(address.length, "letter"), [word] = this.state.wordsOf(this.state.bench.domain);
    const room = `Messages of some chat programs have no room for its ${letters}`;
    const long = `${room}: send the text as a file instead (Save text).`;
    return copied(address, "Address", address.length > CHAT ? long : `It holds this ${word}, for any workbench.`);
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
