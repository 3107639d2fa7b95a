// The board in a notebook: this follows board.js in one module.
// The cell's Python answers what the workbench's server would.
// @ts-check

/** @param {{model: any, el: HTMLElement}} context */
function render({ model, el }) {
  const make = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, String(value));
    }
    made.append(...children);
    return made;
  };
  const waiting = new Map();
  let number = 0, palette = [], chosen = "", shown = "", latest = 0;
  const steps = [];
  const board = make("epcg-board", { tabindex: "0" }), marks = make("div", { class: "epcg-palette" });
  const says = make("p", { role: "status" });
  const back = () => {
    if (steps.length < 2) return;
    steps.pop();
    open(steps.at(-1), false);
  };
  const undo = make("button", { onclick: back }, "Undo");
  const table = make("table", {}, make("tbody"));
  el.classList.add("epcg-widget");
  el.append(make("div", { class: "epcg-left" }, board, says), make("div", {}, marks, undo, table));

  const ask = (request, take) => {
    number += 1;
    waiting.set(number, take);
    model.send({ number, request: { ...request, domain: model.get("domain") } });
    return number;
  };
  model.on("msg:custom", ({ number: of, message, done }) => {
    if (done) return waiting.delete(of);
    if (message.error) { says.textContent = message.error; return undefined; }
    return waiting.get(of)?.(message, of);
  });
  const choose = (name) => {
    chosen = name;
    for (const button of marks.children) button.setAttribute("aria-checked", String(button.dataset.mark === name));
  };
  const mark = ({ name, title }) =>
    make("button", { role: "radio", "data-mark": name, onclick: () => choose(name) }, title || name);
  const adopt = (message, step) => {
    if (message.palette) {
      palette = message.palette;
      marks.replaceChildren(...[{ name: "", title: "empty" }, ...palette].map(mark));
      choose(chosen || palette[0]?.name || "");
    }
    says.textContent = message.scene.note;
    shown = message.text;
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
  const open = (text, step = true) => ask({ do: "open", text }, (message) => adopt(message, step));
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
