// The project: its files, the one that is open, and how its text, its levels and the board stay the same.
// @ts-check
import { write } from "./address.js";
import { isLost, one } from "./api.js";
import { $, attempt, el, note, sentence } from "./base.js";
import { adopt, bare, put } from "./bench.js";
import { toldFaults } from "./faults.js";
import { Files } from "./files.js";
import { Measuring } from "./measuring.js";
import { PieceActs } from "./piece_acts.js";
import { Saving } from "./saving.js";
import { Session } from "./session.js";
import { Steps } from "./steps.js";
import { Strip } from "./strip.js";
import { TextPane } from "./textpane.js";

const CHECK_AFTER = 120, MEASURE_AFTER = 300, MOST_TRIED = 9, FOLDED = 1000; // px: bar.css

export class ProjectPage {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.isOpen = false;
    this.files = new Files(state);
    this.steps = new Steps({
      changed: () => state.panels.past.show(),
      flush: () => this.saving.flush(),
      restore: (text) => this.restore(text),
      kind: () => ({ domain: this.domain, format: this.format }),
    });
    this.file = ""; this.text = ""; this.domain = ""; this.format = "";
    /** @type {Sheet} What was last told of the text. */
    this.sheet = { usable: true, title: "", author: "", pieces: [], faults: [] };
    /** The piece that is chosen, and the level on the board with its hash in the text. */
    this.piece = -1; this.level = -1; this.hash = "";
    this.shown = this.doing = this.textHash = "";
    /** Whether the file can hold messages, is drawn, and has pictures. */
    this.messages = this.workshop = this.art = false;
    /** @type {string | null} What is drawn and not yet in the text. */ this.drawn = null;
    /** @type {Promise<void>} */ this.putting = Promise.resolve(); this.checks = 0; this.reads = 0;
    this.session = new Session(note); this.timers = { check: 0, measure: 0 };
    this.saving = new Saving({
      reload: (file, why) => attempt(() => this.#read(file, this.piece, why)),
      kept: async (file) => { await this.files.list(); await this.#read(file, this.piece); },
      isPending: () => this.drawn !== null, steps: this.steps,
    });
    this.acts = new PieceActs(this);
    this.pane = new TextPane((text) => this.#typed(text));
    this.strip = new Strip({
      choose: (number) => attempt(() => this.choose(number)),
      act: (how, number, more) => attempt(() => this.acts.act(how, number, more)),
    });
    this.measuring = new Measuring(this.strip, (kept) => this.remember(kept));
    $("text-button").onclick = () => { this.pane.toggle(!this.pane.isOpen); this.#remember(); };
  }

  /** Whether the board shows a level of the open file. */
  get isOnBoard() { return this.isOpen && this.level >= 0 && Boolean(this.state.opened?.ofProject); }

  /** The word of the players for a content of the file. */
  get word() { return this.state.wordsOf(this.domain)[0]; }

  /** The address of what is open. */
  get address() { return `#file/${encodeURIComponent(this.file)}/${this.state.panels.shop.place || this.piece + 1}`; }

  /** Show the project's strip, and return what is kept of the last session. @param {string} name the folder's name */
  async begin(name) {
    this.isOpen = true;
    document.body.classList.add("project");
    $("place-folder").textContent = name;
    $("files-part").open = innerWidth > FOLDED;
    $("strip").hidden = $("place").hidden = false;
    await this.files.list();
    const kept = await this.session.read();
    if (kept.pane) this.pane.toggle(true);
    return kept;
  }

  /** The address with which the last session goes on; '' if there is nothing to open. */
  last() { return this.session.kept.page || this.home(); }

  /** The address of the file that was open last; '' if there is none. */
  home() { return this.file ? this.address : this.files.first(this.session.kept); }

  /** Have all be saved before another project or file takes the place of this one. */
  async flush() {
    await this.isPut();
    if (!(await this.saving.flush())) {
      throw new Error(`${this.file} is not saved yet, so it stays open: see what is said at the top.`);
    }
  }

  /** Go on, now that the server answers again. */
  async goOn() {
    if (!this.isOpen) return;
    await this.isPut();
    await this.saving.back();
    this.session.remember({});
    this.measuring.run(this, this.sheet.usable);
  }

  /** Open what an address names. @param {string} address */
  async follow(address) {
    const [, name = "", number = ""] = address.split("/");
    const file = decodeURIComponent(name), canvas = /^\D/.test(number) ? decodeURIComponent(number) : "";
    const isOther = file !== this.file, isLeft = this.state.panels.shop.isOpen && !canvas;
    if (isOther) await this.#read(file, Number(number) - 1 || 0);
    if (canvas) await this.craft(canvas);
    else if (!isOther && (isLeft || Number(number) - 1 !== this.piece || !this.state.opened?.ofProject)) {
      await this.choose(number ? Number(number) - 1 : Math.max(0, this.piece));
    }
  }

  /** Read a file, and show a piece of it. @param {string} file @param {number} piece @param {string} [why] */
  async #read(file, piece, why = "") {
    if (file !== this.file) await this.flush();
    await this.putting;
    const read = ++this.reads, before = this.text, isOther = file !== this.file;
    const known = file === this.file && this.domain ? { domain: this.domain, format: this.format } : {};
    const found = await one("project_open", { file, ...known });
    if (read !== this.reads || (!isOther && before !== this.text)) return; // one has gone on meanwhile
    const { text, domain, format, messages = false, names = false, workshop = false, art = false } = found;
    Object.assign(this, { file, text, domain, format, messages, workshop, art, hash: "", drawn: null });
    this.strip.named = names;
    this.checks += 1;
    if (isOther) { this.piece = this.level = -1; this.sheet.pieces = []; }
    this.saving.open(file, found.text, found.saved);
    if (why) note(`${file} is read again. ${why}`);
    this.pane.set(found.text);
    $("text-file").textContent = file; $("strip-undone").hidden = true;
    this.files.select(file);
    this.#told(found);
    const levels = found.pieces.flatMap((each, number) => (each.kind === "content" ? [number] : []));
    const stays = !isOther && this.state.panels.shop.isOpen;
    if (!stays && !(await this.#first(found.pieces[piece] ? [piece, ...levels] : levels, isOther))) bare(this.state);
    if (!found.usable || !found.pieces.length) this.pane.toggle(true);
    await this.steps.open(file, found.text, found.hash);
  }

  /** Show the first piece that can be; chips tell why others cannot. @param {number[]} numbers @param {boolean} goes */
  async #first(numbers, goes) {
    for (const number of numbers.slice(0, MOST_TRIED)) {
      try {
        await this.choose(number, goes);
        return true;
      } catch (error) {
        if (isLost(error)) throw error;
      }
    }
    return false;
  }

  /**
   * Show a piece: a level on the board, or the words of a message.
   * @param {number} number @param {boolean} [goes] whether the caret goes there: not while one may be typing
   */
  async choose(number, goes = true) {
    const piece = this.sheet.pieces[number];
    if (!piece) return;
    await this.isPut();
    const isOther = this.state.panels.shop.close() || !this.state.opened?.ofProject || number !== this.level;
    if (piece.kind === "content") await this.#board(number, isOther);
    this.piece = number;
    this.#strip();
    this.state.panels.game.chose(number);
    if (goes && this.pane.isOpen) this.pane.go(piece.lines[0]);
    write(this.address);
    this.#remember();
  }

  /** Show a canvas of the game, if the file has any. @param {string} id */
  async craft(id) {
    await this.isPut();
    await this.state.panels.shop.open(id);
    this.#strip();
    write(this.address);
  }

  /** Put a level of the text on the board. @param {number} number @param {boolean} isOther */
  async #board(number, isOther) {
    const { domain, format, text } = this;
    const found = await one("project_piece", { domain, format, text, number });
    if (text !== this.text) return;
    Object.assign(this, { level: number, hash: found.piece, shown: found.text });
    if (isOther) { this.piece = number; adopt(this.state, found, true); } else put(this.state, found);
  }

  // ---- what is typed, and what is drawn

  /** @param {string} text */
  #typed(text) {
    this.text = text;
    this.checks += 1; this.saving.change(text);
    clearTimeout(this.timers.check);
    clearTimeout(this.timers.measure); // what was to be measured is another text; this one is first checked
    this.timers.check = setTimeout(() => attempt(() => this.#check()), CHECK_AFTER);
  }

  async #check() {
    const { file, domain, format, text } = this, check = ++this.checks;
    const found = await one("project_check", { file, domain, format, text });
    if (check !== this.checks) return;
    this.steps.take(text, found.hash, "text");
    this.#told(found);
    if (!found.usable || this.level < 0 || this.state.panels.shop.isOpen) return;
    const level = found.pieces[this.level];
    if (level?.kind === "content" && level.hash !== this.hash) await this.#board(this.level, false);
    this.#strip();
  }

  /** Show the text of another state, and the level in which it differs. @param {string} text */
  async restore(text) {
    await this.isPut();
    const before = new Set(this.sheet.pieces.map((piece) => piece.hash));
    this.text = text;
    this.pane.set(text);
    this.saving.change(text);
    clearTimeout(this.timers.check);
    $("strip-undone").hidden = true;
    await this.#check();
    const { pieces } = this.sheet, other = pieces.findIndex((piece) => !before.has(piece.hash));
    if (text !== this.text || !pieces.length || this.state.panels.shop.isOpen) return;
    if (other >= 0) await this.choose(other);
    else if (!pieces[this.piece]) await this.choose(pieces.length - 1);
    this.#strip();
  }

  /** Take what the board shows now into the text. @param {string} content @param {string} label what was done */
  edited(content, label) {
    if (!this.isOnBoard || content === this.shown) return;
    this.shown = this.drawn = content;
    const before = this.sheet.pieces.slice(0, this.level + 1).filter(({ kind }) => kind === "content").length;
    this.doing = `${label} (${this.word} ${before})`;
    this.putting = this.putting.then(() => attempt(() => this.#put()));
  }

  async #put() {
    while (this.drawn !== null) {
      const { domain, format, text, level: number, drawn: content } = this;
      this.drawn = null;
      let found;
      try {
        const piece = { kind: "content", text: content };
        found = await one("project_change", { domain, format, text, how: "replace", number, piece });
      } catch (error) {
        if (isLost(error)) this.drawn = content;
        throw isLost(error) ? error : new Error(`What is drawn is not in the text: ${sentence(error)}`);
      }
      if (text !== this.text) { this.drawn ??= content; continue; }
      this.take(found, this.doing);
      this.hash = found.pieces[number]?.hash ?? "";
    }
  }

  /** Wait until what is drawn is in the text. */
  async isPut() { await this.putting; if (this.drawn !== null) await this.#put(); }

  /** Take a changed text, and what is told of it. @param {Changed} found @param {string} label what was done */
  take(found, label) {
    this.text = found.text;
    this.steps.take(found.text, found.hash, label);
    this.checks += 1;
    this.pane.set(found.text);
    this.saving.change(found.text);
    this.#told(found);
  }

  /** Take a text with another picture of a mark. @param {Changed} found @param {string} label what was done */
  async repainted(found, label) {
    this.take(found, label);
    const { kind, hash } = found.pieces[this.level] ?? {};
    if (kind === "content" && hash !== this.hash) await this.#board(this.level, false);
  }

  // ---- what is shown

  /** Show what is told of the text. @param {Sheet & {hash: string}} found */
  #told(found) {
    const { faults, usable, hash, title, author } = found;
    this.textHash = hash;
    this.#words();
    const same = found.pieces.findIndex((piece) => piece.hash === this.hash);
    if (same >= 0 && this.level >= 0) {
      if (this.piece === this.level) this.piece = same;
      this.level = same;
    }
    const kept = usable || found.pieces.length ? found.pieces : this.sheet.pieces; // as they could be read last
    this.sheet = { pieces: kept, faults, usable, title, author };
    this.pane.show(faults); this.files.count(kept);
    $("older").hidden = usable || !this.isOnBoard;
    const told = toldFaults(faults);
    $("older-when").textContent = told === "1 fault" ? "the fault is gone" : `the ${told} are gone`;
    document.body.classList.toggle("is-older", !usable);
    this.#strip();
    this.state.panels.shop.follow(); this.state.panels.game.follow(); this.state.panels.art.follow();
    clearTimeout(this.timers.measure);
    this.timers.measure = setTimeout(() => this.measuring.run(this, usable), MEASURE_AFTER);
  }

  /** Call contents as the players do. */
  #words() {
    if (!this.domain) return;
    $("add-level").textContent = `+ ${this.word}`;
    const [, several] = this.state.wordsOf(this.domain);
    $("levels-heading").textContent = several; $("levels").setAttribute("aria-label", several);
    this.strip.word = this.word;
  }

  #strip() {
    const { pieces, usable } = this.sheet;
    const isShown = this.state.opened?.ofProject || pieces[this.piece]?.kind === "message";
    this.strip.show(pieces, isShown && !this.state.panels.shop.isOpen ? this.piece : -1, !usable);
    $("strip-adds").hidden = !this.domain; $("add-message").hidden = !this.messages;
  }

  #remember() { this.remember({ file: this.file, piece: this.piece, pane: this.pane.isOpen, page: "" }); }

  /** Have the project remember what is open. @param {Kept} keep */
  remember(keep) { if (this.isOpen) this.session.remember(keep); }
}
