// The text of a file: lines with numbers, and the faults at their lines.
// @ts-check

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const LINE = 20;
const MOST_LISTED = 100;

/** A text area with a gutter; `typed` is told of each change by hand. */
export class TextPane {
  /** @param {any} page `el`, and `typed` @param {(text: string) => void} typed */
  constructor(page, typed) {
    this.page = page;
    this.area = $("source");
    this.count = 0;
    this.area.oninput = () => { this.#numbers(); typed(this.area.value); };
    this.area.onscroll = () => this.#scrolled();
    for (const name of ["keyup", "click", "focus"]) this.area.addEventListener(name, () => this.#where());
  }

  /** Whether it is shown. */
  get isOpen() { return !$("text-pane").hidden; }

  /** Show or hide it. @param {boolean} open */
  toggle(open) {
    $("text-pane").hidden = !open;
    $("bench").classList.toggle("with-text", open);
    $("text-button").setAttribute("aria-pressed", String(open));
  }

  /** Take a text that came otherwise than by typing; the place of the caret stays. @param {string} text */
  set(text) {
    if (this.area.value === text) return;
    const { selectionStart, scrollTop, value } = this.area;
    const above = value.slice(0, selectionStart).split("\n");
    const line = above.length, column = above[line - 1].length + 1;
    this.area.value = text;
    const lines = text.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    const at = Math.min(text.length, before + Math.min(column - 1, (lines[line - 1] ?? "").length));
    this.area.setSelectionRange(at, at);
    this.area.scrollTop = scrollTop;
    this.#numbers();
  }

  /** Mark and list faults. @param {any[]} faults */
  show(faults) {
    const { el } = this.page;
    const lines = new Map();
    for (const fault of faults) {
      const before = lines.get(fault.line);
      if (!before || (fault.serious && !before.serious)) lines.set(fault.line, fault);
    }
    const placed = [...lines.values()].filter(({ line }) => line > 0);
    $("marks").replaceChildren(...placed.map(({ line, serious, message }) => {
      const mark = el("div", { class: serious ? "mark serious" : "mark", title: message });
      mark.style.top = `${(line - 1) * LINE}px`;
      return mark;
    }));
    $("faults").replaceChildren(...faults.slice(0, MOST_LISTED).map((fault) => el("li", {},
      el("button", { class: fault.serious ? "serious" : "", onclick: () => this.go(fault.line, fault.column) },
        el("span", { class: "line" }, `${fault.serious ? "⚠ " : ""}${fault.line || ""}`),
        el("span", {}, fault.message)))));
    if (faults.length > MOST_LISTED) $("faults").append(el("li", {}, `and ${faults.length - MOST_LISTED} more`));
    $("faults-part").hidden = !faults.length;
    const serious = faults.filter((fault) => fault.serious).length;
    const words = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
    const mild = faults.length ? words(faults.length, "hint") : "no faults";
    $("faults-button").textContent = serious ? `⚠ ${words(serious, "fault")}` : mild;
    $("faults-button").classList.toggle("serious", serious > 0);
    $("faults-button").disabled = !faults.length;
    $("faults-button").onclick = () => faults.length && this.go(faults[0].line, faults[0].column);
  }

  /** Put the caret at a place, from 1. @param {number} line @param {number} [column] */
  go(line, column = 0) {
    this.toggle(true);
    const lines = this.area.value.split("\n");
    const start = lines.slice(0, Math.max(0, line - 1)).reduce((sum, each) => sum + each.length + 1, 0);
    const at = Math.min(this.area.value.length, start + Math.max(0, column - 1));
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(at, column ? at : start + (lines[line - 1] ?? "").length);
    this.area.scrollTop = Math.max(0, (line - 1) * LINE - this.area.clientHeight / 3);
    this.#scrolled();
    this.#where();
  }

  #numbers() {
    const count = this.area.value.split("\n").length;
    if (count !== this.count) {
      this.count = count;
      $("numbers").textContent = Array.from({ length: count }, (_, number) => number + 1).join("\n");
    }
    this.#scrolled();
  }

  #scrolled() {
    for (const layer of [$("numbers"), $("marks")]) layer.style.transform = `translateY(${-this.area.scrollTop}px)`;
  }

  #where() {
    const line = this.area.value.slice(0, this.area.selectionStart).split("\n").length;
    $("text-where").textContent = `line ${line} of ${this.count}`;
  }
}
