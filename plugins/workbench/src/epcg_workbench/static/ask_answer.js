// The answer to a question: the sentence, the columns, what is kept as pictures or as a table, and one of these.
// @ts-check
import { one } from "./api.js";
import { dots } from "./ask_dots.js";
import { NARROW, barsOf, columns, told } from "./columns.js";
import { Chosen } from "./ask_chosen.js";
import { $, all, attempt, el } from "./base.js";
import { Pictures } from "./pictures.js";
import { shown } from "./words.js";

const NARROW_BELOW = 500;
const VISIBLE = 0.12,
  TABS = /** @type {const} */ (["pictures", "table", "two"]);
const whole = (/** @type {number | string} */ number) => Number(number).toLocaleString("en");

export class AnswerView {
  /** @param {State} state @param {() => string} text the question */
  constructor(state, text) {
    this.state = state;
    this.text = text;
    /** @type {Answered | null} */ this.found = null;
    /** @type {[number, number] | null} */ this.range = null;
    /** @type {boolean | null} whether those that are not as wished are drawn; null: as it looks well */ this.others =
      null;
    this.at = 1;
    this.pictures = new Pictures("picture");
    this.chosen = new Chosen(state);
    for (const name of TABS) $(`ask-tab-${name}`).onclick = () => this.#tab(name);
    $("ask-second").onchange = () => this.#scatter();
    $("ask-others").onclick = () => {
      this.others = !this.#withOthers();
      this.#columns();
    };
    $("ask-before").onclick = () => this.#turn(-1);
    $("ask-after").onclick = () => this.#turn(1);
    $("ask-everything").onclick = () => this.#limit(null);
    for (const field of [$("ask-low"), $("ask-high")]) field.onchange = () => this.#typed();
    $("ask-cite").onclick = () => {
      $("ask-citation").hidden = !$("ask-citation").hidden;
    };
    this.#tab("pictures");
  }

  /** Forget an answer. */
  leave() {
    this.range = null;
    this.others = null;
    this.at = 1;
    this.found = null;
    this.#show();
  }

  /** Ask what is recorded of the question. @returns {Promise<void>} */
  async refresh() {
    const before = this.found,
      [low, high] = this.range ?? [];
    const found = await one("answered", { text: this.text(), page: this.at, ...(this.range ? { low, high } : {}) });
    if (found.stopped) return;
    if (before?.bars && before.metric !== found.metric && this.range) {
      this.range = null;
      this.at = 1;
      this.found = found;
      return this.refresh();
    }
    this.found = found;
    this.#show();
  }

  #show() {
    $("ask-results").hidden = !this.found?.bars;
    if (!this.found?.bars) {
      this.chosen.show(null);
      $("ask-about").textContent = "";
      $("ask-citation").textContent = "";
      $("ask-cite").hidden = true;
      return;
    }
    this.#sentence();
    this.#columns();
    this.#list();
    this.#scatter();
  }

  /** What of all is as wished; of a part only what was tried. */
  #sentence() {
    const found = this.#shown,
      tried = whole(found.tried),
      all = whole(found.of),
      part = !found.done;
    const parts = [part ? `Of the ${tried} tried: ${found.text}` : found.text];
    if (found.of_all)
      parts.push(
        `Of all ${all}, some ${whole(found.of_all[0])} to ${whole(found.of_all[1])} are as wished (95 % sure).`,
      );
    else if (part) parts.push(`What is not tried yet may be different.`);
    $("ask-said").textContent = parts.join(" ");
    const chip = $("ask-tried");
    chip.textContent = part ? `${tried} of ${all} tried${found.sample ? ", by chance" : ""}` : "✓ all tried";
    chip.className = part ? "chip" : "chip yes";
    $("ask-about").textContent = part
      ? `${tried} of ${all} tried so far; they are kept (run ${found.run})`
      : `Kept (run ${found.run}): each of ${all} was tried`;
    $("ask-cite").hidden = false;
    $("ask-citation").textContent = found.cite;
  }

  /** The answer that is shown. Throws an error if none is. */
  get #shown() {
    if (!this.found) throw new Error("No answer is shown: ask a question first.");
    return this.found;
  }
  /** The measure that ranks. */
  get metric() {
    return this.#measure(this.#shown.metric);
  }
  /** @param {string} name @returns {Pick<Metric, "metric" | "title" | "kind" | "words">} */
  #measure(name) {
    const own = this.#shown.metrics.find((each) => each.metric === name);
    return own ?? { metric: name, title: name, kind: "int", words: [] };
  }
  /** A value in people's words. @param {string} name @param {Value} value */
  #value(name, value) {
    const { kind, words } = this.#measure(name);
    return shown(kind === "bool" && typeof value === "number" ? Boolean(value) : value, "", words);
  }

  #withOthers() {
    const bars = barsOf(this.#shown.bars ?? []),
      most = (/** @type {"met" | "count"} */ key) => Math.max(0, ...bars.map((bar) => bar[key]));
    return this.others ?? (most("met") >= VISIBLE * most("count") || !most("met"));
  }

  #columns() {
    const found = this.#shown,
      bars = barsOf(found.bars ?? []),
      title = this.metric.title;
    const others = this.#withOthers(),
      differs = bars.some(({ count, met }) => count !== met);
    const value = (/** @type {number} */ each) => this.#value(found.metric, each);
    $("ask-histogram").replaceChildren(
      ...(bars.length
        ? [
            columns(bars, {
              title,
              shown: value,
              of: found.of,
              tried: found.tried,
              others,
              range: this.range,
              size: $("ask-results").clientWidth < NARROW_BELOW ? NARROW : undefined,
              chosen: (range) => this.#limit(range),
            }),
          ]
        : []),
    );
    $("ask-others").hidden = !differs;
    $("ask-others").setAttribute("aria-pressed", String(others));
    $("ask-axis").textContent = "drag over the columns for some of them";
    const [low, high] = this.range ?? ["", ""];
    $("ask-low").value = String(low);
    $("ask-high").value = String(high);
    $("ask-everything").hidden = !this.range;
    const interval = (/** @type {number[] | null} */ each) => (each ? `${whole(each[0])} to ${whole(each[1])}` : "");
    const isSample = bars.some(({ ofAll }) => ofAll),
      ends = isSample ? ["tried", "as wished", `of ${whole(found.of)}`, "as wished of these"] : ["all", "as wished"];
    const rows = bars.map((bar) =>
      el(
        "tr",
        { title: told(bar, value, whole(found.of)) },
        el("td", {}, bar.low === bar.high ? value(bar.low) : `${value(bar.low)} to ${value(bar.high)}`),
        el("td", { class: "value" }, whole(bar.count)),
        el("td", { class: "value" }, whole(bar.met)),
        ...(isSample
          ? [el("td", { class: "value" }, interval(bar.ofAll)), el("td", { class: "value" }, interval(bar.metOfAll))]
          : []),
      ),
    );
    $("ask-bars").replaceChildren(
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...[title, ...ends].map((words) => el("th", {}, words)))),
        el("tbody", {}, ...rows),
      ),
    );
  }

  /** Look at some values only. @param {[number, number] | null} range */
  #limit(range) {
    this.range = range;
    this.at = 1;
    return attempt(() => this.refresh());
  }

  #typed() {
    const [low, high] = [$("ask-low"), $("ask-high")].map(({ value }) => (value === "" ? null : Number(value)));
    const ends = barsOf(this.#shown.bars ?? []);
    if (!ends.length) return;
    this.#limit(low === null && high === null ? null : [low ?? ends[0].low, high ?? ends[ends.length - 1].high]);
  }

  /** @param {number} more */
  #turn(more) {
    this.at += more;
    attempt(() => this.refresh()).then(() => $("ask-results").scrollIntoView({ block: "nearest" }));
  }

  // ---- what is kept

  #list() {
    const found = this.#shown,
      rank = this.metric,
      [low, high] = this.range ?? [null, null];
    const total = whole(found.total);
    $("ask-count").textContent = this.range ? `${total} as wished in these columns` : `${total} kept`;
    $("ask-range").textContent = this.range
      ? `${rank.title} from ${shown(low)} to ${shown(high)}`
      : found.done
        ? ""
        : "the best of those tried";
    const beside = this.#beside();
    this.pictures.clear();
    $("ask-gallery").replaceChildren(
      ...found.found.map((each, at) => {
        const words = this.#value(found.metric, each.values[found.metric]),
          second = beside ? `${this.#value(beside.metric, each.values[beside.metric])}` : "";
        const heard = (/** @type {string} */ what) => el("span", { class: "heard" }, what);
        const open = el(
          "button",
          {
            class: "open",
            "data-puzzle": each.puzzle,
            onclick: () => this.choose(each.puzzle),
          },
          el("span", { class: "picture" }),
          el(
            "span",
            { class: "facts" },
            heard(`${rank.title} `),
            el("b", { title: each.note }, each.note ? `${words} ?` : words),
            ...(beside ? [heard(", "), el("span", {}, `${beside.title} ${second}`)] : []),
            ...(each.note ? [heard(`, ${each.note}`)] : []),
          ),
        );
        const tile = el("li", { "data-at": at }, open);
        this.pictures.show(tile, each.puzzle);
        return tile;
      }),
    );
    const names = found.metrics.map(({ metric }) => metric);
    const rows = found.found.map((each) =>
      el(
        "tr",
        {},
        el("td", {}, el("button", { class: "link", onclick: () => this.choose(each.puzzle) }, "show")),
        ...names.map((name) => el("td", { class: "value" }, this.#value(name, each.values[name]))),
      ),
    );
    $("ask-table").replaceChildren(
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", {}, ""),
            ...found.metrics.map(({ metric, title }) => el("th", { title: metric }, title)),
          ),
        ),
        el("tbody", {}, ...rows),
      ),
    );
    const many = found.pages ?? 1;
    $("ask-pages").hidden = many < 2;
    $("ask-page").textContent = `${this.at} of ${many}`;
    $("ask-before").disabled = this.at < 2;
    $("ask-after").disabled = this.at >= many;
    const same = found.found.some(({ puzzle }) => puzzle === this.chosen.puzzle);
    this.choose(same ? this.chosen.puzzle : (found.found[0]?.puzzle ?? ""));
  }

  /** The measure that a tile tells beside the one that ranks: one that the wish names, or that people ask for first. */
  #beside() {
    const found = this.#shown, named = (found.wish?.conditions ?? []).map(({ condition }) => condition).join(" "),
      varied = (/** @type {string} */ name) => new Set(found.found.map(({ values }) => values[name])).size > 1;
    const told = found.metrics.filter(({ metric, kind, headline, title }) => metric !== found.metric && kind !== "bool"
      && varied(metric) && (headline || named.includes(metric) || named.includes(title)));
    return named ? told[0] ?? null : null;
  }

  /** Show one content large. @param {string} puzzle */
  choose(puzzle) {
    const { done, found, metric, run, wish } = this.#shown;
    for (const each of all($("ask-gallery"), ".open"))
      each.setAttribute("aria-pressed", String(each.dataset.puzzle === puzzle));
    const best = !this.range && this.at === 1 && found[0]?.puzzle === puzzle;
    const place = best ? `First of ${whole(wish?.met ?? 0)} as wished${done ? "" : ", of those tried"}.` : "";
    const kept = found.map((each) => each.puzzle);
    return this.chosen.show(puzzle ? { puzzle, run, metric, place, kept } : null);
  }

  async #scatter() {
    const found = this.#shown;
    const options = found.metrics.filter(({ metric }) => metric !== found.metric);
    const kept = $("ask-second").value;
    $("ask-second").replaceChildren(
      ...options.map(({ metric, title }) => el("option", { value: metric, selected: metric === kept }, title)),
    );
    const second = $("ask-second").value,
      { run, metric } = found;
    $("ask-scatter").replaceChildren();
    if ($("ask-two").hidden || !second || !run) return;
    await attempt(async () => {
      const { points, drawn } = await one("points", { run, metric, second, lane: "points" });
      if (!points?.length || second !== $("ask-second").value || this.found?.run !== run) return;
      const open = (/** @type {string} */ rank) => this.choose(`${run}#${rank}`);
      $("ask-scatter").replaceChildren(
        dots(points, {
          first: this.metric.title,
          second: this.#measure(second).title,
          drawn,
          shown: shown,
          open,
        }),
      );
    });
  }

  /** @param {typeof TABS[number]} name */
  #tab(name) {
    for (const each of TABS) $(`ask-tab-${each}`).setAttribute("aria-pressed", String(each === name));
    $("ask-gallery").hidden = name !== "pictures";
    $("ask-table").hidden = name !== "table";
    $("ask-two").hidden = name !== "two";
    if (this.found?.bars) this.#scatter();
  }
}
