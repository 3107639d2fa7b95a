// Drawing: the tools over the board, what strokes mean by them, and regions that are copied, moved and locked.
// @ts-check
import { one } from "./api.js";
import { $, all, attempt, beside, el, note, within } from "./base.js";
import { paint, step } from "./bench.js";
import { svg } from "./board.js";
import { Mirror } from "./mirror.js";
import { holds, markOf } from "./palette.js";
import { clipOf, clipText, grown, read, shifted } from "./regions.js";
import { counted } from "./words.js";

const KEPT = "epcg:clip";
const TOOLS = [
  ["pencil", "Draw", "M3 13l1-3 7-7 2 2-7 7-3 1z"],
  ["rectangle", "Rectangle (Shift and drag)", "M3 4h10v8H3z"],
  ["flood", "Fill an area", "M3 9l5-5 5 5-5 4-5-4zM8 4L6 2M14 11v2"],
  ["pick", "Pick up (Alt, or P)", "M3 13l5-5M7 5l4 4M9 3l4 4-2 1-3-3z"],
  ["select", "Select a region (Shift and arrow keys)", "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3"],
  ["lock", "Lock (L)", "M4 7h8v6H4zM6 7V5a2 2 0 014 0v2"],
];
const ACTIONS = [
  ["copy", "Copy the region (Ctrl C)", "M6 6h7v7H6zM3 10V3h7"],
  [
    "cut",
    "Cut the region (Ctrl X)",
    "M4 3l7 8M12 3l-7 8M5 13a1.5 1.5 0 110-3 1.5 1.5 0 010 3zM11 13a1.5 1.5 0 110-3 1.5 1.5 0 010 3z",
  ],
  ["paste", "Paste (Ctrl V)", "M5 4H3v10h10V4h-2M6 2h4v3H6z"],
];

/** @param {string} d */
export const icon = (d) =>
  svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d }));

/** The tools of the mode Draw. */
export class DrawTools {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.tool = "pencil";
    this.mirror = new Mirror(state);
    /** @type {import("./regions.js").Clip | null} What is copied, also from another level or tab. */ this.clip = null;
    const bar = $("draw-tools");
    bar.prepend(
      this.#radios(),
      this.mirror.part,
      el("span", { class: "bar-group acts" }, ...ACTIONS.map((each) => this.#action(each))),
    );
    state.board.addEventListener("board-region", () => this.#selected());
    state.board.addEventListener("board-move", (event) => this.move(event.detail));
    for (const name of /** @type {const} */ (["copy", "cut", "paste"])) {
      document.addEventListener(name, (event) => this.#clipboard(name, event));
    }
    this.use("pencil");
  }

  #radios() {
    const group = el(
      "span",
      { class: "bar-group", role: "radiogroup", "aria-label": "Tool" },
      ...TOOLS.map(([name, words, d]) => {
        const about = { role: "radio", "data-tool": name, title: words, "aria-label": words.split(" (")[0] };
        return el("button", { ...about, onclick: () => this.#pressed(name) }, icon(d));
      }),
    );
    group.onkeydown = (event) => {
      const next = beside(within(group), event);
      if (!next) return;
      event.preventDefault();
      this.use(next.dataset.tool ?? "");
      next.focus();
    };
    return group;
  }

  /** @param {string[]} about */
  #action([name, words, d]) {
    const act = () => attempt(() => this.#act(name, null));
    return el(
      "button",
      { "data-act": name, title: words, "aria-label": words.split(" (")[0], onclick: act },
      icon(d),
    );
  }

  /** Whether a touch puts the chosen mark. */
  get draws() {
    return ["pencil", "rectangle", "flood"].includes(this.tool);
  }

  /** Whether a region is selected. */
  get isSelected() {
    return this.state.board.chosen.size > 0;
  }

  /** A tool is pressed: with a selection, what can be done with it is done. @param {string} name */
  #pressed(name) {
    const sites = [...this.state.board.chosen];
    if (sites.length && name === "lock") return this.lock(sites);
    return this.use(name);
  }

  /** Use a tool. @param {string} name */
  use(name) {
    const { board } = this.state;
    this.tool = name;
    for (const button of all($("draw-tools"), "[data-tool]")) {
      button.setAttribute("aria-checked", String(button.dataset.tool === name));
      button.tabIndex = button.dataset.tool === name ? 0 : -1;
    }
    if (name !== "select") board.choose([]);
    this.follow();
  }

  /** Show what a touch does, in the mode that the page is in. */
  follow() {
    const { board, mode, opened, panels } = this.state,
      isDraw = mode === "edit";
    if (!opened) return;
    board.areas = mode !== "play";
    board.isArea = isDraw && (this.tool === "rectangle" || this.tool === "select");
    board.movable = isDraw && this.tool === "select";
    board.shadow(isDraw && this.draws ? (panels.palette.mark(opened.mark) ?? null) : null);
    if (!isDraw) board.choose([]);
    this.mirror.show();
    this.#selected();
  }

  /** What a touch of a site would do, in words. @param {string} site */
  told(site) {
    const { bench, board, panels } = this.state,
      { mark, locked } = bench,
      { palette } = panels;
    if (this.tool === "lock") return locked.has(site) ? "locked; a touch unlocks it" : "a touch locks it";
    if (!this.draws) return "";
    if (locked.has(site)) return "locked";
    const lies = bench.scene.marks[site] ?? [],
      own = palette.mark(mark);
    if (mark && !own?.kinds.includes(board.sites.get(site)?.kind ?? "")) return "";
    if (holds(lies, mark, bench.palette)) return "";
    const isWhole = !mark || own?.shows;
    const stays = isWhole ? [] : lies.filter((name) => palette.mark(name)?.layer !== own?.layer);
    return `will be ${[...stays, mark].map((name) => palette.title(name)).join(" and ")}`;
  }

  /** A stroke over the board. @param {Stroke} stroke */
  stroke({ sites, erase, alt, isArea, byKey }) {
    const { bench, board, panels } = this.state,
      { palette } = panels;
    if (alt || (this.tool === "pick" && !erase)) {
      palette.choose(palette.top(bench.scene.marks[sites.at(-1) ?? ""] ?? []));
      if (this.tool === "pick") this.use("pencil");
      return undefined;
    }
    if (this.tool === "lock") return this.lock(sites);
    if (this.tool === "select" && !byKey) {
      board.choose(isArea && sites.length > 1 ? sites : []);
      return this.#selected();
    }
    const mark = erase ? "" : bench.mark;
    const reached = this.tool === "flood" && !isArea && !byKey ? grown(board, bench.scene, sites[0]) : sites;
    const kinds = mark ? (palette.mark(mark)?.kinds ?? []) : null;
    const fits =
      isArea || reached !== sites || sites.length > 1
        ? reached.filter((id) => !kinds || kinds.includes(board.sites.get(id)?.kind ?? ""))
        : reached;
    palette.used(mark);
    const spares = isArea || reached !== sites || board.chosen.size > 1;
    const drawn = fits.length ? fits : reached;
    const painted = paint(this.state, drawn, mark, spares, this.mirror.images(drawn, mark));
    return byKey ? painted.then(() => note(board.words(board.here))) : painted;
  }

  /** A letter that is pressed on the board; whether it is taken. @param {string} key @param {string} site */
  letter(key, site) {
    const { bench, board, panels } = this.state,
      { palette } = panels;
    if (key === "Escape") {
      board.choose([]);
      this.#selected();
      return true;
    }
    if (palette.key(key)) return true;
    if (key === "l" || key === "L") {
      this.lock(this.isSelected ? [...board.chosen] : [site]);
      return true;
    }
    if (key === "p" || key === "P") {
      palette.choose(palette.top(bench.scene.marks[site] ?? []));
      return true;
    }
    if (this.mirror.key(key) || panels.casting.key(key)) return true;
    if (key === "r" || key === "R") palette.turn();
    return false;
  }

  /** Lock sites, or unlock them if the first is locked. @param {string[]} sites */
  lock(sites) {
    const { bench, board, panels } = this.state,
      { locked } = bench,
      isLocked = locked.has(sites[0]);
    const changed = [...new Set(sites)].filter((site) => locked.has(site) === isLocked);
    for (const site of changed)
      if (isLocked) locked.delete(site);
      else locked.add(site);
    board.lock(locked);
    panels.locks.did(changed, !isLocked);
    const where = sites.length > 1 ? counted(new Set(sites).size, "place") : board.title_(sites[0]);
    note(`${where}: ${isLocked ? "unlocked" : "locked"}. Changes leave locked places as they are.`);
  }

  #selected() {
    const isOne = this.isSelected,
      { board } = this.state;
    for (const button of $("draw-tools").querySelectorAll("button"))
      if (["copy", "cut"].includes(button.dataset.act ?? "")) button.disabled = !isOne;
    $("draw-tools").classList.toggle("idle", !isOne && !sessionStorage.getItem(KEPT));
    if (isOne)
      note(
        `${counted(board.chosen.size, "place")} selected: Enter fills, Delete empties, L locks, `
          + "Ctrl C, X and V copy, cut and paste, Escape ends it.",
      );
  }

  // ---- regions

  /** @param {string} name @param {ClipboardEvent} event */
  #clipboard(name, event) {
    const at = document.activeElement;
    const isTyped =
      event.target instanceof HTMLTextAreaElement ||
      at instanceof HTMLTextAreaElement ||
      at instanceof HTMLInputElement ||
      at instanceof HTMLSelectElement;
    if (!this.state.opened || this.state.mode !== "edit" || $("bench").hidden || isTyped) return;
    if (name !== "paste" && (!this.isSelected || !getSelection()?.isCollapsed)) return;
    event.preventDefault();
    attempt(() => this.#act(name, event.clipboardData));
  }

  /** @param {string} name @param {DataTransfer | null} data */
  async #act(name, data) {
    if (name === "paste") return this.#paste(data?.getData("text/plain") ?? "");
    const { bench, board } = this.state,
      sites = [...board.chosen];
    this.clip = this.#clip(sites);
    sessionStorage.setItem(KEPT, JSON.stringify(this.clip));
    const text = clipText(this.clip);
    if (data) data.setData("text/plain", text);
    else await navigator.clipboard?.writeText(text).catch(() => {});
    if (name === "cut") return this.#lay(new Map(sites.map((id) => [id, []])), "cut");
    return note(`${counted(sites.length, "place")} copied.`);
  }

  /** Paste what is copied with its upper left corner where the cursor is. @param {string} text */
  async #paste(text) {
    const { bench, board, panels } = this.state;
    /** @type {import("./regions.js").Clip | null} */ const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    const isOther = text && !(kept && text === clipText(kept));
    const clip = isOther ? (read(text, panels.palette.marks) ?? kept) : kept;
    if (!clip) throw new Error("Nothing is copied yet: select a region, and copy it.");
    if (clip.domain && clip.domain !== this.state.bench.domain)
      throw new Error("What is copied is of another kind of puzzle.");
    const at = this.isSelected ? [...board.chosen][0] : board.hovered || board.here;
    const { places, outside } = shifted(board, clip, at);
    if (!places.size) throw new Error("What is copied does not fit here: its places have another form.");
    this.use("select");
    await this.#lay(places, "pasted");
    if (outside)
      note(`Left out: ${counted(outside, "place that lies", "places that lie")} outside of the board.`);
  }

  /** What lies on some sites; on one below the floor, the mark that makes it so. @param {string[]} sites */
  #clip(sites) {
    const { board, bench } = this.state, clip = clipOf(board, bench.scene, sites, bench.domain);
    const pit = bench.palette.some((mark) => !mark.name && mark.shows?.length) ? markOf([], bench.palette) : "";
    if (pit) for (const place of clip.places) if (!place.marks.length && place.kind === "cell") place.marks = [pit];
    return clip;
  }

  /** Move the selection. @param {{from: string, to: string}} detail */
  move({ from, to }) {
    const { board } = this.state;
    if (from === to) {
      board.choose([]);
      return this.#selected();
    }
    return attempt(async () => {
      const sites = [...board.chosen],
        clip = this.#clip(sites);
      const [[x, y], [u, v]] = [from, to].map((id) => board.middle(id));
      const moved = {
        ...clip,
        places: clip.places.map((each) => ({
          ...each,
          at: [each.at[0] + u - x, each.at[1] + v - y],
        })),
      };
      const { places } = shifted(board, moved, sites[0]);
      if (!places.size) throw new Error("The region does not fit there: the places have another form.");
      for (const id of sites) if (!places.has(id)) places.set(id, []);
      await this.#lay(
        places,
        "moved",
        [...places].filter(([id, marks]) => marks.length || !sites.includes(id)).map(([id]) => id),
      );
    });
  }

  /**
   * Make places hold marks, as one step.
   * @param {Map<string, string[]>} places @param {string} label @param {string[]} [then]
   */
  async #lay(places, label, then = [...places.keys()]) {
    const { board } = this.state,
      { domain, text, locked } = this.state.bench;
    const free = [...places].filter(([id]) => !locked.has(id));
    if (!free.length) throw new Error("These places are locked: L unlocks them.");
    const message = await one("lay", { domain, text, places: Object.fromEntries(free) });
    if (this.state.bench.text !== text) return;
    step(this.state, message, `${counted(free.length, "place")} ${label}`);
    board.choose(then.filter((id) => board.sites.has(id)));
    this.#selected();
    const stay = places.size - free.length;
    if (stay) note(`${counted(stay, "locked place stays as it is", "locked places stay as they are")}.`);
  }
}
