// The strip of a project: the levels and messages of the open file, with a picture and a chip each.
// @ts-check
import { $, all, el, seek, within } from "./base.js";
import { counted } from "./words.js";

const MOST_SCENES = 1000;
/** How each state is shown: its class, its sign and its title.
 * @type {Record<Chip["state"], (chip: Chip) => [kind: string, words: string, title: string]>} */
const CHIPS = {
  solved({ moves = 0, judged, measure, again }) {
    if (again) return ["yes", "✓", "can be solved"];
    if (measure) return ["yes", `✓ ${measure.label}`.trim(), `can be solved; ${measure.sentence}`];
    if (!judged) return ["yes", `✓ ${counted(moves, "move")}`, `can be solved in ${counted(moves, "move")}`];
    return [judged.good ? "yes" : "no", `${judged.good ? "✓" : "✕"} ${judged.label}`, judged.sentence];
  },
  unsolvable: ({ words = "" }) => ["no", "✕ no", words],
  unknown: ({ measure }) => measure?.label ? ["wait", measure.label, measure.sentence]
    : ["wait", "?", "not decided: it has too many positions"],
  fault: ({ reason = "" }) => ["no", "⚠", reason],
  unplayed: () => ["wait", "", "this kind is not played"],
};

/** @typedef {import("./piece_acts.js").Act} Act */

/** The list of pieces. */
export class Strip {
  /** @param {{choose: (number: number) => unknown, act: Act}} page */
  constructor(page) {
    this.page = page;
    /** @type {Piece[]} */ this.pieces = [];
    this.current = -1;
    /** What contents are called, and whether they can be given names. */ this.word = "level"; this.named = false;
    /** @type {Map<string, Chip>} Chips, by the hash of a piece. */ this.chips = new Map();
    /** @type {Map<string, {scene: Scene, palette: Mark[]}>} Scenes, by the hash of a piece. */ this.scenes = new Map();
    /** @type {Map<string, Node>} Drawings, which rows copy. */ this.pictures = new Map();
    /** @type {WeakMap<Element, string>} What each row shows. */ this.keys = new WeakMap();
    this.dragged = -1; this.seenAt = -1;
    $("levels").dataset.arrows = "lead from level to level";
    /** @type {{from: number, to: number} | null} */ this.moved = null;
    this.seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!(target instanceof HTMLElement)) continue;
        if (isIntersecting) this.#draw(target); else this.#wipe(target);
      }
    }, { root: $("strip"), rootMargin: "200px" });
  }

  /** Show the pieces of a file. @param {Piece[]} pieces @param {number} current @param {boolean} isOlder */
  show(pieces, current, isOlder) {
    const focused = document.activeElement?.closest("#levels > li")?.getAttribute("data-number");
    const at = Number(focused ?? -1);
    Object.assign(this, { pieces, current });
    /** @type {HTMLElement[]} */ const rows = [];
    const list = $("levels"), before = within(list);
    let level = 0;
    for (const [number, piece] of pieces.entries()) {
      if (piece.kind === "content") level += 1;
      const isCurrent = number === current, tools = isCurrent && number + 1 === pieces.length;
      const key = JSON.stringify([this.word, level, piece.kind, piece.hash, piece.title, piece.text, isCurrent, tools]);
      const same = this.keys.get(before[number]) === key ? before[number] : null;
      rows.push(same ?? this.#row(piece, number, level));
      this.keys.set(rows[number], key);
    }
    const kept = new Set(pieces.map((piece) => piece.hash));
    for (const hash of this.pictures.keys()) if (!kept.has(hash)) this.pictures.delete(hash);
    const scenes = this.scenes.size > MOST_SCENES ? [...this.scenes.keys()] : [];
    for (const hash of scenes) if (!kept.has(hash)) this.scenes.delete(hash);
    for (const [number, row] of rows.entries()) {
      const old = before[number];
      if (row === old) continue; // most stay: five hundred levels are not made again because one is chosen
      if (old) { this.seen.unobserve(old); old.replaceWith(row); } else list.append(row);
      if (row.dataset.hash) this.seen.observe(row);
    }
    for (const old of before.slice(rows.length)) { this.seen.unobserve(old); old.remove(); }
    list.classList.toggle("older", isOlder);
    if (current !== this.seenAt) rows[current]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.seenAt = current;
    if (at >= 0) this.focus(at === this.moved?.from ? this.moved.to : at);
    this.moved = null;
  }

  /** Move the focus to a row. @param {number} number */
  focus(number) {
    const row = $("levels").children[Math.max(0, Math.min(number, this.pieces.length - 1))];
    if (row) seek(row, ".piece")?.focus();
  }

  /** Show a chip that has come. @param {Chip} chip */
  chip(chip) {
    if (!chip.again) this.chips.set(chip.hash, chip);
    for (const row of all($("levels"), `[data-hash="${chip.hash}"]`)) this.#chip(row, chip);
  }

  /** Show a picture that has come. @param {string} hash @param {Scene} scene @param {Mark[]} palette */
  picture(hash, scene, palette) {
    this.scenes.set(hash, { scene, palette });
    for (const row of $("levels").querySelectorAll(`[data-hash="${hash}"]`)) {
      this.seen.unobserve(row);
      this.seen.observe(row);
    }
  }

  /** Say in the row of a new piece what it is. @param {Piece} piece @param {number} number @param {number} level */
  #row(piece, number, level) {
    const isLevel = piece.kind === "content";
    const isCurrent = number === this.current, choose = () => this.page.choose(number);
    const open = el("button", { class: "piece", "aria-current": isCurrent && "true", onclick: choose });
    if (isLevel) {
      const small = el("span", { class: "small", "aria-hidden": "true" });
      open.append(el("span", { class: "number" }, String(level)), " ", small, el("span", { class: "chip" }));
      if (piece.title) open.append(" ", el("span", { class: "title" }, piece.title));
      this.#name(open, "");
    } else open.append(el("span", { class: "words" }, `“${piece.text}”`));
    open.onkeydown = (event) => this.#key(event, number);
    const about = { "data-number": number, "data-hash": isLevel && piece.hash };
    const row = el("li", { class: isLevel ? "level" : "message", draggable: "true", ...about }, open);
    const field = !isLevel ? this.#words(piece, number) : this.named ? this.#title(piece, number) : "";
    if (isCurrent) row.append(field, this.#tools(number));
    this.#dragging(row, number);
    if (isLevel) this.#fill(row, piece.hash, within($("levels"))[number]);
    return row;
  }

  /** Show chip and picture of a level; until they have come, those that its row had, as a thing of the past.
   * @param {HTMLElement} row @param {string} hash @param {HTMLElement} [before] */
  #fill(row, hash, before) {
    const chip = this.chips.get(hash), past = before?.querySelector(".chip");
    if (chip) this.#chip(row, chip);
    else if (past?.textContent) {
      row.querySelector(".chip")?.replaceWith(past.cloneNode(true));
      row.querySelector(".chip")?.classList.add("past");
    }
    const drawn = before && seek(before, ".small"), place = seek(row, ".small");
    if (!drawn?.firstChild || !place) return;
    place.dataset.drawn = drawn.dataset.drawn;
    place.append(drawn.firstChild); // moved: copies of two hundred pictures would take seconds
  }

  /** @param {Piece} piece @param {number} number */
  #words(piece, number) {
    const field = el("input", { value: piece.text, "aria-label": "Words of the message" });
    field.onchange = () => this.page.act("replace", number, { piece: { kind: "message", text: field.value } });
    return field;
  }

  /** @param {Piece} piece @param {number} number */
  #title(piece, number) {
    const about = { class: "name", placeholder: "name", "aria-label": `Name of the ${this.word}`, maxlength: 100 };
    const field = el("input", { value: piece.title, ...about });
    field.onchange = () => this.page.act("entitle", number, { title: field.value });
    return field;
  }

  /** @param {number} number */
  #tools(number) {
    /** @param {string} sign @param {string} name @param {() => void} act */
    const tool = (sign, name, act, off = false) =>
      el("button", { "aria-label": name, title: name, disabled: off, onclick: act }, sign);
    return el("span", { class: "tools" },
      tool("↑", "Move up (Alt ↑)", () => this.#move(number, number - 1), number === 0),
      tool("↓", "Move down (Alt ↓)", () => this.#move(number, number + 1), number + 1 === this.pieces.length),
      tool("×2", "Duplicate, ×2 (Ctrl D)", () => this.page.act("duplicate", number)),
      tool("✕", "Delete (Delete)", () => this.page.act("remove", number)));
  }

  /** @param {KeyboardEvent} event @param {number} number */
  #key(event, number) {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (step && event.altKey) this.#move(number, number + step);
    else if (step) this.focus(number + step);
    else if (event.key === "Delete") this.page.act("remove", number);
    else if (event.key.toLowerCase() === "d" && (event.ctrlKey || event.metaKey)) this.page.act("duplicate", number);
    else return;
    event.preventDefault();
  }

  /** @param {number} from @param {number} to */
  #move(from, to) {
    if (to < 0 || to >= this.pieces.length || to === from) return;
    this.moved = { from, to };
    this.page.act("move", from, { to });
  }

  /** @param {HTMLElement} row @param {number} number */
  #dragging(row, number) {
    row.ondragstart = (event) => {
      this.dragged = number;
      if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
      event.dataTransfer?.setData("text/plain", "");
      row.classList.add("dragged");
    };
    row.ondragend = () => { this.dragged = -1; this.#leave(); };
    row.ondragover = (event) => {
      if (this.dragged < 0) return;
      event.preventDefault();
      this.#leave();
      row.classList.add(this.#isAbove(event, row) ? "above" : "below");
    };
    row.ondrop = (event) => {
      if (this.dragged < 0) return;
      event.preventDefault();
      event.stopPropagation();
      const gap = number + (this.#isAbove(event, row) ? 0 : 1), from = this.dragged;
      this.#leave();
      this.#move(from, gap > from ? gap - 1 : gap);
    };
  }

  /** @param {DragEvent} event @param {HTMLElement} row */
  #isAbove(event, row) {
    const { top, height } = row.getBoundingClientRect();
    return event.clientY < top + height / 2;
  }

  #leave() { for (const row of $("levels").children) row.classList.remove("above", "below", "dragged"); }

  /** @param {HTMLElement} row @param {Chip} chip */
  #chip(row, chip) {
    const isSought = chip.again && chip.state !== "solved";
    const [kind, words, title] = isSought ? ["wait", "…", "being searched"] : CHIPS[chip.state](chip);
    const place = seek(row, ".chip");
    if (!place) return;
    place.className = `chip ${kind}`;
    place.textContent = words;
    place.title = title;
    const open = seek(row, ".piece");
    if (open) this.#name(open, title);
  }

  /** Name a level for readers of screens: what one sees of it, and what its chip means.
   * @param {HTMLElement} open @param {string} title the meaning of the chip */
  #name(open, title) {
    const seen = [".number", ".chip", ".title"].map((part) => seek(open, part)?.textContent).filter(Boolean);
    const word = this.word[0].toUpperCase() + this.word.slice(1);
    open.setAttribute("aria-label", [`${word} ${seen.join(" ")}`, title].filter(Boolean).join(", "));
  }

  /** Remove the picture of a row that is far from what one sees. @param {HTMLElement} row */
  #wipe(row) {
    const place = seek(row, ".small");
    place?.replaceChildren();
    if (place) delete place.dataset.drawn;
  }

  /** @param {HTMLElement} row */
  #draw(row) {
    const { hash = "" } = row.dataset, found = this.scenes.get(hash), place = seek(row, ".small");
    if (!found || !place || place.dataset.drawn === hash) return;
    if (!this.pictures.has(hash)) {
      const picture = el("epcg-board");
      picture.show(found.scene, found.palette);
      if (picture.firstChild) this.pictures.set(hash, picture.firstChild);
    }
    const drawing = this.pictures.get(hash)?.cloneNode(true);
    if (!drawing) return;
    place.dataset.drawn = hash;
    place.replaceChildren(drawing);
  }
}
