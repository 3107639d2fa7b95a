// The strip of a project: the levels and messages of the open file, with a picture and a chip each.
// @ts-check
import { EpcgBoard } from "./board.js";
import { counted } from "./words.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const MOST_SCENES = 1000;
const CHIPS = {
  solved: ({ moves }) => ["yes", `✓ ${moves}`, `can be solved in ${counted(moves, "move")}`],
  unsolvable: ({ words }) => ["no", "✕ no", words],
  unknown: () => ["wait", "?", "not decided: it has too many positions"],
  fault: ({ reason }) => ["no", "⚠", reason],
  unplayed: () => ["wait", "", "this kind is not played"],
};

/** The list of pieces. The page gives `el`, `choose(number)`, `act(how, number, more)` and `say(number, words)`. */
export class Strip {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    /** @type {any[]} */ this.pieces = [];
    this.current = -1;
    /** What contents are called. */ this.word = "level";
    /** @type {Map<string, any>} Chips, by the hash of a piece. */ this.chips = new Map();
    /** @type {Map<string, any>} Scenes with their palettes, by the hash of a piece. */ this.scenes = new Map();
    /** @type {Map<string, any>} Drawings, which rows copy. */ this.pictures = new Map();
    /** @type {WeakMap<Element, string>} What each row shows. */ this.keys = new WeakMap();
    this.dragged = -1; this.seenAt = -1;
    this.seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) this.#draw(/** @type {any} */ (target)); else this.#wipe(/** @type {any} */ (target));
      }
    }, { root: $("strip"), rootMargin: "200px" });
  }

  /** Show the pieces of a file. @param {any[]} pieces @param {number} current @param {boolean} isOlder */
  show(pieces, current, isOlder) {
    const focused = document.activeElement?.closest("#levels > li");
    const at = focused ? Number(/** @type {any} */ (focused).dataset.number) : -1;
    Object.assign(this, { pieces, current });
    const rows = [], list = $("levels"), before = [...list.children];
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
    row?.querySelector(".piece")?.focus();
  }

  /** Show a chip that has come. @param {any} chip */
  chip(chip) {
    if (!chip.again) this.chips.set(chip.hash, chip);
    for (const row of $("levels").querySelectorAll(`[data-hash="${chip.hash}"]`)) this.#chip(row, chip);
  }

  /** Show a picture that has come. @param {any} found @param {any[]} palette */
  picture({ hash, scene }, palette) {
    this.scenes.set(hash, { scene, palette });
    for (const row of $("levels").querySelectorAll(`[data-hash="${hash}"]`)) {
      this.seen.unobserve(row);
      this.seen.observe(row);
    }
  }

  /** Say in the row of a new piece what it is. @param {any} piece @param {number} number @param {number} level */
  #row(piece, number, level) {
    const { el } = this.page, isLevel = piece.kind === "content";
    const isCurrent = number === this.current, choose = () => this.page.choose(number);
    const open = el("button", { class: "piece", "aria-current": isCurrent && "true", onclick: choose });
    if (isLevel) {
      const small = el("span", { class: "small", "aria-hidden": "true" });
      open.append(el("span", { class: "number" }, String(level)), small, el("span", { class: "chip" }));
      if (piece.title) open.append(el("span", { class: "title" }, piece.title));
      const word = this.word[0].toUpperCase() + this.word.slice(1);
      open.setAttribute("aria-label", `${word} ${level} ${piece.title}`.trim());
    } else open.append(el("span", { class: "words" }, `“${piece.text}”`));
    open.onkeydown = (event) => this.#key(event, number);
    const about = { "data-number": number, "data-hash": isLevel && piece.hash };
    const row = el("li", { class: isLevel ? "level" : "message", draggable: "true", ...about }, open);
    if (isCurrent) row.append(...(isLevel ? [] : [this.#words(piece, number)]), this.#tools(number));
    this.#dragging(row, number);
    if (isLevel) this.#fill(row, piece.hash, $("levels").children[number]);
    return row;
  }

  /** Show chip and picture of a level; until they have come, those that its row had, as a thing of the past. */
  #fill(row, hash, before) {
    const chip = this.chips.get(hash), past = before?.querySelector(".chip");
    if (chip) this.#chip(row, chip);
    else if (past?.textContent) {
      row.querySelector(".chip").replaceWith(past.cloneNode(true));
      row.querySelector(".chip").classList.add("past");
    }
    const drawn = before?.querySelector(".small"), place = row.querySelector(".small");
    if (!drawn?.firstChild) return;
    place.dataset.drawn = drawn.dataset.drawn;
    place.append(drawn.firstChild); // moved: copies of two hundred pictures would take seconds
  }

  #words(piece, number) {
    const field = this.page.el("input", { value: piece.text, "aria-label": "Words of the message" });
    field.onchange = () => this.page.act("replace", number, { piece: { kind: "message", text: field.value } });
    return field;
  }

  #tools(number) {
    const { el } = this.page;
    const tool = (sign, name, act, off = false) =>
      el("button", { "aria-label": name, title: name, disabled: off, onclick: act }, sign);
    return el("span", { class: "tools" },
      tool("↑", "Move up (Alt ↑)", () => this.#move(number, number - 1), number === 0),
      tool("↓", "Move down (Alt ↓)", () => this.#move(number, number + 1), number + 1 === this.pieces.length),
      tool("×2", "Duplicate (Ctrl D)", () => this.page.act("duplicate", number)),
      tool("✕", "Delete (Delete)", () => this.page.act("remove", number)));
  }

  #key(event, number) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step && event.altKey) this.#move(number, number + step);
    else if (step) this.focus(number + step);
    else if (event.key === "Delete") this.page.act("remove", number);
    else if (event.key.toLowerCase() === "d" && (event.ctrlKey || event.metaKey)) this.page.act("duplicate", number);
    else return;
    event.preventDefault();
  }

  #move(from, to) {
    if (to < 0 || to >= this.pieces.length || to === from) return;
    this.moved = { from, to };
    this.page.act("move", from, { to });
  }

  #dragging(row, number) {
    row.ondragstart = (event) => {
      this.dragged = number;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", "");
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

  #isAbove(event, row) {
    const { top, height } = row.getBoundingClientRect();
    return event.clientY < top + height / 2;
  }

  #leave() { for (const row of $("levels").children) row.classList.remove("above", "below", "dragged"); }

  #chip(row, chip) {
    const words_of = CHIPS[/** @type {keyof typeof CHIPS} */ (chip.state)];
    const [kind, words, title] = chip.again ? ["wait", "…", "being searched"] : words_of(chip);
    const place = row.querySelector(".chip");
    place.className = `chip ${kind}`;
    place.textContent = words;
    place.title = title;
  }

  /** Remove the picture of a row that is far from what one sees. */
  #wipe(row) {
    const place = row.querySelector(".small");
    place?.replaceChildren();
    if (place) delete place.dataset.drawn;
  }

  #draw(row) {
    const { hash } = row.dataset, found = this.scenes.get(hash), place = row.querySelector(".small");
    if (!found || !place || place.dataset.drawn === hash) return;
    if (!this.pictures.has(hash)) {
      const picture = /** @type {EpcgBoard} */ (this.page.el("epcg-board"));
      picture.show(found.scene, found.palette);
      this.pictures.set(hash, picture.firstChild);
    }
    place.dataset.drawn = hash;
    place.replaceChildren(this.pictures.get(hash).cloneNode(true));
  }
}
