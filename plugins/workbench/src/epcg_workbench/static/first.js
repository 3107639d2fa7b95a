// The first page: what was open of late, ways to begin, and all shipped examples in their own art.
// @ts-check
import { ask, one, read } from "./api.js";
import { $, attempt, el, sentence, within } from "./base.js";
import { adopt, open } from "./bench.js";
import { heldBy } from "./linked.js";
import { MakeDialog, enter } from "./making.js";
import { picture } from "./pictures.js";
import { told, track } from "./running.js";
import { arrive } from "./tabs.js";
import { counted } from "./words.js";

const MOST_OF_FILE = 500_000, FEW = 3, TILES = 16;

export class FirstPage {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.kind = "";
    this.all = false;
    /** Whether the examples of all kinds have come. */ this.isWhole = false;
    this.made = false;
    this.making = new MakeDialog(state);
    $("open-button").onclick = () => $("file").click();
    $("file").onchange = () => {
      const file = $("file").files?.[0];
      $("file").value = "";
      if (file) void this.takeFile(file);
    };
    $("paste-button").onclick = () => { $("paste-trouble").textContent = ""; $("paste-dialog").showModal(); };
    $("paste-close").onclick = () => $("paste-dialog").close();
    $("open-paste").onclick = () => this.#pasted();
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0], text = event.dataTransfer?.getData("text/plain") ?? "";
      if (file) this.takeFile(file);
      else if (text.trim() && !$("start").hidden) attempt(() => this.#takeIn(text, ""));
    });
  }

  /** Show it. */
  open() {
    attempt(() => this.#recent());
    attempt(() => this.#runs());
    attempt(() => this.#recorded());
    if (this.made) return;
    this.made = true;
    attempt(() => this.#makers());
    attempt(() => this.#around());
  }

  // ---- texts and files

  async #pasted() {
    try {
      await this.#takeIn($("paste").value, "", $("paste-domain").value);
      $("paste-dialog").close();
      if ($("start").hidden) arrive();
    } catch (error) { $("paste-trouble").textContent = sentence(error); }
  }

  /**
   * Take in a text, or what a link holds: a board alone, all else as a file of a project.
   * @param {string} text @param {string} file its name, if it has one @param {string} [domain] if it is chosen
   */
  async #takeIn(text, file, domain = "") {
    const held = file ? null : await heldBy(text), own = held?.text ?? text, kind = held?.domain || domain;
    const found = await one("intake", { text: own, ...(file ? { file } : {}), ...(kind ? { domain: kind } : {}) });
    if (found.belongs) this.making.file({ name: found.file, text: own, belongs: found.belongs });
    else adopt(this.state, found);
  }

  /** Take in what the address of the page holds. */
  linked() { return this.#takeIn(location.href, ""); }

  /** Open a file of this machine. @param {File} file */
  takeFile(file) {
    return attempt(async () => {
      const { name, size } = file;
      if (size > MOST_OF_FILE) {
        const most = "a level has at most 100,000, a file of many 500,000";
        throw new Error(`${name} has ${counted(size, "byte")}: ${most}.`);
      }
      const text = (await file.text()).replace(/\r\n?/g, "\n");
      if (text.includes("\u0000") || text.includes("\ufffd")) throw new Error(`${name} is not a text.`);
      return this.#takeIn(text, name);
    });
  }

  // ---- what was open of late

  async #recent() {
    const cards = [];
    for await (const card of ask("recent")) if (card.id) cards.push(this.#card(card));
    $("recent").replaceChildren(...cards);
    $("recent").hidden = !cards.length;
    $("recent-more").hidden = cards.length <= FEW;
    $("recent-more").textContent = `${cards.length - FEW} more`;
    $("recent-more").onclick = () => { $("recent").classList.add("all"); $("recent-more").hidden = true; };
  }

  /** One project or content. @param {Card} card */
  #card(card) {
    const when = card.gone ? "" : card.open ? "open" : ago(new Date(card.at));
    const facts = card.gone ? [el("span", { class: "bad" }, "gone")] : chips(card);
    const about = { class: "card recent", title: card.folder ?? "", "data-recent": card.title };
    const isLink = card.kind === "project" && !card.gone; // a link opens in another tab, too
    const act = isLink ? { href: `/p/${card.id}/` } : { disabled: Boolean(card.gone) };
    const onclick = (/** @type {MouseEvent} */ event) => {
      if (isLink && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
      event.preventDefault();
      void attempt(() => this.#reopen(card));
    };
    const open = el(isLink ? "a" : "button", { ...about, ...act, onclick },
      el("span", { class: "pictures" }, ...card.pictures.map(picture)),
      el("span", { class: "head" }, el("b", {}, card.title), el("small", {}, when)),
      el("span", { class: "facts" }, ...facts));
    const forget = async () => { await one("recent_forget", { entry: card.id }); await this.#recent(); };
    const off = { "aria-label": `Take ${card.title} off this list`, title: "Take it off this list" };
    const remove = el("button", { class: "remove", ...off, onclick: () => attempt(forget) }, "✕");
    const told = card.gone ? [el("p", { class: "gone" }, card.gone)] : [];
    return el("li", { class: card.gone ? "is-gone" : "" }, open, remove, ...told);
  }

  /** @param {Card} card */
  async #reopen(card) {
    if (card.kind === "content") { await open(this.state, card.domain, card.text); return; }
    if (card.open) { location.hash = card.file ? `#file/${encodeURIComponent(card.file)}/` : "#/"; return; }
    await this.state.panels.project.flush();
    enter("", `/p/${card.id}/`);
  }

  // ---- ways to begin

  async #makers() {
    const cards = [];
    for await (const way of ask("makers")) {
      const { how, title, about, svg, format } = way;
      if (!how) continue;
      const plus = () => el("span", { class: "plus", "aria-hidden": "true" }, "+");
      const art = el("span", { class: "art" }, svg ? picture(svg) : plus());
      const words = el("span", {}, el("b", {}, title), el("small", {}, about));
      const id = `make-${format ? `${how}-${format}` : how}`;
      const act = { class: "card make", id, onclick: () => this.making.open(way) };
      cards.push(el("li", {}, el("button", act, art, words)));
    }
    $("makers").replaceChildren(...cards);
  }

  // ---- examples

  async #around() {
    const domains = this.state.domains;
    $("filters").replaceChildren(...[{ domain: "", title: "All" }, ...domains].map(({ domain, title }) => {
      const about = { "data-filter": domain, "aria-pressed": String(domain === "") };
      return el("button", { ...about, onclick: () => this.#filter(domain) }, title);
    }));
    $("around-all").onclick = () => {
      this.all = true;
      this.#show();
      within($("around"))[0].querySelector("button")?.focus(); // the button is gone
    };
    const each = Math.floor(TILES / domains.length), rest = TILES % domains.length;
    for (const [at, domain] of domains.entries()) // one that fails is told
      await attempt(() => this.#examples(domain, each + Number(at < rest)));
    this.isWhole = true;
    this.#show();
    for (const button of within($("filters"))) {
      const { filter } = button.dataset;
      button.hidden = Boolean(filter) && !$("around").querySelector(`[data-domain="${filter}"]`);
    }
  }

  /**
   * Add the examples of one kind.
   * @param {{domain: string, title: string}} kind @param {number} few how many of them are among the first tiles
   */
  async #examples({ domain, title: kind }, few) {
    let left = few;
    for await (const { title, text, svg } of ask("examples", { domain })) {
      if (title === "new") continue;
      const tile = el("button", { "data-title": title, onclick: () => open(this.state, domain, text) },
        el("span", { class: "picture" }, ...(svg ? [picture(svg)] : [])),
        el("span", { class: "name" }, title),
        el("small", {}, kind));
      $("around").append(el("li", { "data-domain": domain, "data-first": left > 0 }, tile));
      left -= 1;
      this.#show();
    }
  }

  /** Show the examples of one kind, or all. @param {string} domain */
  #filter(domain) {
    this.kind = domain;
    this.#show();
  }

  /** Show the tiles of the chosen kind; of all kinds a few, until all are asked for. */
  #show() {
    for (const button of within($("filters")))
      button.setAttribute("aria-pressed", String(button.dataset.filter === this.kind));
    const tiles = within($("around"));
    for (const tile of tiles) {
      const { domain, first } = tile.dataset;
      tile.hidden = this.kind ? domain !== this.kind : !this.all && first === undefined;
    }
    $("around-all").hidden = !this.isWhole || Boolean(this.kind) || tiles.every(({ hidden }) => !hidden);
    $("around-all").textContent = `All ${counted(tiles.length, "example")}`;
  }

  // ---- runs

  /** The runs that this workbench has started, each followed to its end. */
  async #runs() {
    /** @type {RunState[]} */
    const runs = await read("runs");
    $("runs").hidden = !runs.length;
    $("runs").querySelector("ul")?.replaceChildren(...runs.map((run) => {
      const where = el("span", {}, ...told(this.state, run));
      if (run.state === "running") track(this.state, ask(`/runs/${run.number}/follow`), where);
      return el("li", {}, el("b", {}, run.title), ": ", where);
    }));
  }

  /** The best of recorded runs, as pictures that open at the board. */
  async #recorded() {
    /** @type {Map<number, HTMLElement>} */ const tiles = new Map();
    const sections = [];
    for await (const found of ask("recorded")) {
      if (!found.run) continue;
      let list = tiles.get(found.run);
      if (!list) {
        list = el("ul", { class: "around" });
        tiles.set(found.run, list);
        sections.push(el("section", {}, el("h2", {}, `Kept (run ${found.run})`), list));
      }
      const name = `${titleOf(this.state, found.domain)} ${list.children.length + 1}, kept by run ${found.run}`;
      const about = { "aria-label": name, title: name, onclick: () => open(this.state, found.domain, found.text) };
      list.append(el("li", {}, el("button", about,
        el("span", { class: "picture" }, picture(found.svg)))));
    }
    $("recorded").replaceChildren(...sections);
  }
}

/** What a domain is called. @param {State} state @param {string} name */
const titleOf = ({ domains }, name) => domains.find(({ domain }) => domain === name)?.title ?? name;

/** What is known of a project, in chips and words. @param {Card} card */
function chips({ chips: told, contents, word, questions, plans, kind, open }) {
  if (kind === "content") return [el("small", {}, "a board without a project")];
  const asked = questions ? counted(questions, "question") : "";
  const parts = [contents ? `${contents} ${word}` : "", asked, plans ? "chapters" : ""];
  const words = parts.filter(Boolean);
  const solved = { class: "chip yes", title: "can be solved" };
  const found = told?.solved ? [el("span", solved, `✓ ${told.solved} solvable`)] : [];
  if (told?.unsolvable) {
    found.push(el("span", { class: "chip no", title: "no solution" }, `✕ ${told.unsolvable} not`));
  }
  return [...found, el("small", {}, words.join(", ") || (open ? "nothing in it yet" : "no levels yet"))];
}

/** A day in words. @param {Date} day */
function ago(day) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(day).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days <= 0) return "today";
  if (days === 1) return "yesterday";
  return days < 7 ? day.toLocaleDateString("en", { weekday: "long" }) : day.toLocaleDateString();
}
