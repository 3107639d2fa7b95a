// The board in a notebook: this follows board.js in one module.
// The cell's Python answers what the workbench's server would.
// @ts-check

/** What the cell's Python tells: a content, its palette if it is opened, or measures; or what is wrong.
 * @typedef {Partial<Opened> & {metrics?: Measured[], error?: string}} Told */
/** What hears of an answer, and which request it answers. @typedef {(message: Told, of: number) => void} Take */
/** @typedef {{number: number, message: Told, done: boolean}} Sent a part of the answer to a request */
/** What the notebook keeps of the widget.
 * @typedef {{get: (name: string) => string, set: (name: string, value: string) => void, save_changes: () => void,
 *   send: (message: object) => void, on: (name: string, hears: (told: Sent) => void) => void}} Model */

/** @param {{model: Model, el: HTMLElement}} context */
function render({ model, el }) {
  /**
   * Make an element.
   * @template {keyof HTMLElementTagNameMap} K @param {K} name @param {Attributes} attributes @param {Child[]} children
   */
  const make = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
      else made.setAttribute(key, String(value));
    }
    made.append(...children);
    return made;
  };
  /** @type {Map<number, Take>} */ const waiting = new Map();
  /** @type {Mark[]} */ let palette = [];
  let number = 0, chosen = "", shown = "", latest = 0;
  /** @type {string[]} */ const steps = [];
  const board = make("epcg-board", { tabindex: "0" }), marks = make("div", { class: "epcg-palette" });
  const says = make("p", { role: "status" });
  const back = () => {
    if (steps.length < 2) return;
    steps.pop();
    open(steps[steps.length - 1], false);
  };
  const undo = make("button", { onclick: back }, "Undo");
  const table = make("table", {}, make("tbody"));
  el.classList.add("epcg-widget");
  el.append(make("div", { class: "epcg-left" }, board, says), make("div", {}, marks, undo, table));

  /** @param {object} request @param {Take} take */
  const ask = (request, take) => {
    number += 1;
    waiting.set(number, take);
    model.send({ number, request: { ...request, domain: model.get("domain") } });
    return number;
  };
  model.on("msg:custom", ({ number: of, message, done }) => {
    if (done) waiting.delete(of);
    else if (message.error) says.textContent = message.error;
    else waiting.get(of)?.(message, of);
  });
  const choose = (/** @type {string} */ name) => {
    chosen = name;
    for (const button of marks.querySelectorAll("button")) {
      button.setAttribute("aria-checked", String(button.dataset.mark === name));
    }
  };
  const mark = (/** @type {Pick<Mark, "name" | "title">} */ { name, title }) =>
    make("button", { role: "radio", "data-mark": name, onclick: () => choose(name) }, title || name);
  /** @param {Told} message @param {boolean} step */
  const adopt = (message, step) => {
    if (!message.scene) return;
    if (message.palette) {
      palette = message.palette;
      marks.replaceChildren(...[{ name: "", title: "empty" }, ...palette].map(mark));
      choose(chosen || palette[0]?.name || "");
    }
    says.textContent = message.scene.note;
    shown = message.text ?? "";
    if (step) steps.push(shown);
    board.show(message.scene, palette);
    if (model.get("text") !== shown) { model.set("text", shown); model.save_changes(); }
    const rows = table.tBodies[0];
    rows.replaceChildren();
    latest = ask({ do: "measures", text: shown }, (answer, of) => {
      if (of !== latest) return;
      for (const { metric, description, value, reason } of answer.metrics ?? []) {
        const told = value === null ? reason || "–" : String(value);
        const cells = [make("td", {}, metric.replaceAll("_", " ")), make("td", {}, told)];
        rows.append(make("tr", { "data-metric": metric, title: description }, ...cells));
      }
    });
  };
  const open = (/** @type {string} */ text, step = true) =>
    ask({ do: "open", text }, (message) => adopt(message, step));
  board.addEventListener("board-stroke", ({ detail }) => {
    const request = { do: "put", text: shown, sites: [...new Set(detail.sites)], mark: detail.erase ? "" : chosen };
    ask(request, (message) => adopt(message, true));
  });
  board.addEventListener("board-letter", ({ detail }) => {
    const own = palette.find(({ key }) => key && key === detail.key);
    if (own) choose(own.name);
  });
  model.on("change:text", () => { if (model.get("text") !== shown) open(model.get("text")); });
  open(model.get("text"));
}

export default { render };
