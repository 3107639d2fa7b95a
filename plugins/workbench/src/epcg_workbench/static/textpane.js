// The text of a file: lines with numbers and colours, and the faults at their lines and under their words.
// @ts-check
import { $, el, trouble } from "./base.js";
import { isSerious, mended, toldFaults } from "./faults.js";
import { TextFind } from "./text_find.js";
import { TextHistory, edited } from "./text_history.js";
import { LINE, TextLayer, placeOf, startOf, wide } from "./text_layer.js";
import { TextOffers } from "./text_offers.js";
import { counted } from "./words.js";

const MOST_LISTED = 100,
  MOST_NOTED = 200;
const MOST = 900_000,
  LONG = 10_000;


/** A text area with a gutter; `typed` is told of each change by hand. */
export class TextPane {
  /** @param {(text: string) => void} typed */
  constructor(typed) {
    this.area = $("source");
    this.count = 0;
    this.typed = typed;
    /** What was typed since a text came otherwise. */ this.history = new TextHistory();
    /** What the area holds, as it was before the edit that is being made. @type {import("./text_history.js").Held} */
    this.held = { value: "", start: 0, end: 0 };
    this.layer = new TextLayer(this.area);
    this.find = new TextFind($("text-pane"), this.layer);
    this.offers = new TextOffers(this.layer, (from, to, text) => this.#insert(from, to, text));
    this.area.oninput = (/** @type {Event} */ event) => {
      const { value } = this.area;
      if (event instanceof InputEvent) this.history.add(edited(this.held, this.#holds));
      else this.history.clear(); // a long text is put in at once, as a step of the project
      this.held = this.#holds;
      this.#numbers(value);
      if (event instanceof InputEvent && event.inputType === "insertText" && event.data) this.offers.follow();
      else this.offers.close();
      typed(value);
    };
    this.area.onscroll = () => this.#scrolled();
    this.area.addEventListener("beforeinput", (/** @type {InputEvent} */ event) => {
      const how = { historyUndo: "undo", historyRedo: "redo" }[event.inputType];
      if (how) return this.#back(event, how === "undo");
      const { start, end } = this.#holds;
      if (start !== this.held.end || end !== start) this.history.part();
      Object.assign(this.held, { start, end });
      this.#refuse(event, event.data ?? event.dataTransfer?.getData("text/plain") ?? "");
      return undefined;
    });
    this.area.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const key = event.key.toLowerCase(), isCommand = (event.ctrlKey || event.metaKey) && !event.altKey;
      if (isCommand && (key === "z" || key === "y") && this.isTyped) this.#back(event, key === "z" && !event.shiftKey);
    });
    this.area.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => this.#paste(event));
    for (const name of ["keyup", "click", "focus"]) this.area.addEventListener(name, () => this.#where());
  }

  /** Whether something was typed since a text came otherwise, which can be taken back here. */
  get isTyped() {
    return !this.history.isEmpty;
  }

  /** @returns {import("./text_history.js").Held} */
  get #holds() {
    const { value, selectionStart: start, selectionEnd: end } = this.area;
    return { value, start, end };
  }

  /** Take back the last step of typing, or make it again. @param {Event} event @param {boolean} isUndo */
  #back(event, isUndo) {
    event.preventDefault();
    const edit = isUndo ? this.history.undo() : this.history.redo();
    if (!edit) return;
    const { from, removed, added } = edit, { area } = this;
    area.setRangeText(added, from, from + removed.length, "end");
    this.held = this.#holds;
    this.offers.close();
    this.#numbers(area.value);
    this.typed(area.value);
  }

  /** Whether it is shown. */
  get isOpen() {
    return !$("text-pane").hidden;
  }

  /** The line of the caret, from 1. */
  get line() {
    return placeOf(this.layer.lines, this.area.selectionStart).number + 1;
  }

  /** Show or hide it. @param {boolean} open */
  toggle(open) {
    $("text-pane").hidden = !open;
    $("bench").classList.toggle("with-text", open);
    $("text-button").setAttribute("aria-pressed", String(open));
  }

  /** Take a text that came otherwise than by typing; the place of the caret stays. @param {string} text */
  set(text) {
    const { selectionStart, scrollTop, value } = this.area;
    if (value === text) return;
    const { number, column } = placeOf(this.layer.lines, selectionStart);
    this.area.value = text;
    this.history.clear();
    this.held = this.#holds;
    this.#numbers(text, true);
    const { lines } = this.layer;
    const at = Math.min(text.length, startOf(lines, number) + Math.min(column, (lines[number] ?? "").length));
    this.area.setSelectionRange(at, at);
    this.area.scrollTop = scrollTop;
    this.#scrolled();
  }

  /** Mark and list faults. @param {Fault[]} faults */
  show(faults) {
    const lines = /** @type {Map<number, Fault>} */ (new Map());
    for (const fault of faults) {
      const before = lines.get(fault.line);
      const isFirst = !before || (before.follows && !fault.follows);
      const isWorse = fault.serious && !before?.serious && before?.follows === fault.follows;
      if (isFirst || isWorse) lines.set(fault.line, fault);
    }
    const placed = [...lines.values()].filter(({ line }) => line > 0);
    const at = (/** @type {HTMLElement} */ made, /** @type {number} */ line) => {
      made.style.top = `${(line - 1) * LINE}px`;
      return made;
    };
    const name = (/** @type {Fault} */ fault, /** @type {string} */ word) => (fault.serious ? `${word} serious` : word);
    $("marks").replaceChildren(...placed.map((fault) => at(el("div", { class: name(fault, "mark") }), fault.line)));
    const sign = (/** @type {Fault} */ fault) => el("div", { class: name(fault, "sign") }, fault.serious ? "⚠" : "•");
    $("gutter-marks").replaceChildren(...placed.map((fault) => at(sign(fault), fault.line)));
    const text = this.layer.lines;
    this.layer.mark(faults);
    const guessed = new Map(faults.filter((fault) => fault.guess).map((fault) => [fault.line, fault]));
    const told = placed.slice(0, MOST_NOTED).map((fault) => {
      const better = guessed.get(fault.line);
      return better ? { ...better, serious: fault.serious } : fault;
    });
    $("line-notes").replaceChildren(...told.map((fault) => this.#noted(fault, text[fault.line - 1] ?? "")));
    $("faults").replaceChildren(
      ...faults
        .slice(0, MOST_LISTED)
        .map((fault) =>
          el(
            "li",
            fault.follows ? { class: "follows", title: "Gone when the fault above is mended" } : {},
            el(
              "button",
              { class: fault.serious ? "serious" : "", onclick: () => this.go(fault.line, fault.column) },
              el("span", { class: "line" }, `${fault.serious ? "⚠ " : ""}${fault.line || ""}`),
              el("span", {}, fault.message),
            ),
            ...this.#guess(fault),
          ),
        ),
    );
    const left = faults.slice(MOST_LISTED).filter((fault) => !fault.follows).length;
    if (left) $("faults").append(el("li", {}, `and ${left.toLocaleString("en")} more`));
    $("faults-part").hidden = !faults.length;
    const many = toldFaults(faults),
      serious = isSerious(faults);
    $("faults-heading").textContent = many;
    $("faults-button").textContent = serious ? `⚠ ${many}` : many;
    $("faults-button").classList.toggle("serious", serious);
    $("faults-button").disabled = !faults.length;
    $("faults-button").onclick = () => faults.length && this.go(faults[0].line, faults[0].column);
  }

  /** Put the caret at a place, from 1. @param {number} line @param {number} [column] */
  go(line, column = 0) {
    this.toggle(true);
    const { lines } = this.layer,
      start = startOf(lines, line - 1);
    const at = Math.min(this.area.value.length, start + Math.max(0, column - 1));
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(at, column ? at : start + (lines[line - 1] ?? "").length);
    this.area.scrollTop = Math.max(0, (line - 1) * LINE - this.area.clientHeight / 3);
    this.#scrolled();
    this.#where();
  }

  /** The note of a fault behind its line. @param {Fault} fault @param {string} line */
  #noted(fault, line) {
    const note = el(
      "div",
      { class: fault.serious ? "line-note serious" : "line-note", title: fault.message },
      el("span", {}, fault.message),
      ...this.#guess(fault),
    );
    note.style.top = `${(fault.line - 1) * LINE}px`;
    note.style.marginLeft = `calc(8px + ${wide(line) + 2}ch)`;
    return note;
  }

  /** What may be meant, as a button that puts it there. @param {Fault} fault */
  #guess(fault) {
    const { guess, line } = fault;
    if (!guess) return [];
    const { many } = mended(this.layer.lines, line, guess);
    if (!many) return [];
    const title = `Put “${guess.text}” there${many > 1 ? ", everywhere" : ""}`;
    return [el("button", { class: "link guess", title, onclick: () => this.#put(line, guess) }, `${guess.text}?`)];
  }

  /** Put what is guessed in its places, as a step that Ctrl Z takes back. @param {number} line @param {Guess} guess */
  #put(line, guess) {
    const { from, to, text, many } = mended(this.layer.lines, line, guess);
    if (many) this.#insert(from, to, text);
  }

  /** Put a text instead of a part of what is there. @param {number} from @param {number} to @param {string} text */
  #insert(from, to, text) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) {
      this.area.setRangeText(text);
      this.area.dispatchEvent(new Event("input"));
    }
  }

  /**
   * Put a long text in at once: browsers take seconds to insert thousands of lines one by one.
   * @param {ClipboardEvent} event
   */
  #paste(event) {
    const text = (event.clipboardData?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n");
    if (this.#refuse(event, text) || text.length < LONG) return;
    event.preventDefault();
    const { area } = this;
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input"));
  }

  /**
   * Refuse what would make the text too long, in a sentence: nothing is cut.
   * @param {Event} event @param {string} more
   */
  #refuse(event, more) {
    const length = this.area.value.length - (this.area.selectionEnd - this.area.selectionStart) + more.length;
    if (!more || length <= MOST) return false;
    event.preventDefault();
    const many = counted(length, "character"),
      most = MOST.toLocaleString("en");
    trouble(
      new Error(
        `With this the text would have ${many}; texts of up to ${most} are edited here. Nothing was put in.`,
      ),
    );
    return true;
  }

  /** Take what the area holds now. @param {string} text @param {boolean} [isOther] whether it may be of another kind */
  #numbers(text, isOther = false) {
    this.layer.set(text, isOther);
    this.find.refresh();
    const count = this.layer.lines.length;
    if (count !== this.count) {
      this.count = count;
      $("numbers").textContent = Array.from({ length: count }, (_, number) => number + 1).join("\n");
    }
    this.#scrolled();
    this.#where();
  }

  #scrolled() {
    const { top: scrollTop, left: scrollLeft } = this.layer;
    for (const layer of /** @type {const} */ (["numbers", "gutter-marks", "marks"]))
      $(layer).style.transform = `translateY(${-scrollTop}px)`;
    $("line-notes").style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
  }

  #where() {
    const { number } = placeOf(this.layer.lines, this.area.selectionStart);
    $("text-where").textContent = `line ${number + 1} of ${this.count}`;
  }
}
