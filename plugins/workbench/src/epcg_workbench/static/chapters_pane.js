// The chosen chapter: its title and text, what it takes from where, and the chosen puzzle of it.
// @ts-check
import { one } from "./api.js";
import { belonging } from "./ask_begin.js";
import { $, attempt, el, seek } from "./base.js";
import { PuzzlePane } from "./chapters_puzzle.js";
import { rejected } from "./chapters_rejected.js";
import { divided } from "./foremost.js";
import { folded } from "./more.js";
import { Pictures } from "./pictures.js";
import { WishForm } from "./wish.js";
import { offered } from "./wish_value.js";
import { counted } from "./words.js";

/** @type {Record<string, string>} */
const STRATEGIES = { evenly: "evenly", quantiles: "as they are spread", chance: "by chance" };
const ENDS = { higher: { lowest: "easiest", highest: "hardest" }, lower: { lowest: "hardest", highest: "easiest" } };
const COUNT = 4;
const stays = (/** @type {number} */ hand) => counted(hand, "chosen by hand stays", "chosen by hand stay");

export class ChapterPane {
  /** @param {import("./arrange.js").ArrangePage} plans */
  constructor(plans) {
    this.plans = plans;
    /** @type {Sources | null} what a part can take puzzles from */ this.sources = null;
    /** The domains of the project. @type {Set<string>} */ this.own = new Set();
    /** @type {Map<string, Measure[]>} measures, by where they are from */ this.measures = new Map();
    this.j = 0;
    this.shows = 0;
    /** What was chosen by hand, and how many were. @type {string[]} */ this.stay = [];
    this.hand = 0;
    /** @type {import("./wish.js").Options} */
    this.options = { most: 200, numbers: true, ends: [["evenly", "evenly"]], rows: (parts) => this.#opening(parts) };
    this.wish = new WishForm($("chapter-wish"), "chapter-", () => this.#wished(), this.options);
    this.pictures = new Pictures("rejected");
    this.puzzle = new PuzzlePane(plans);
    const set = (/** @type {string} */ key, /** @type {unknown} */ value) =>
      plans.change({ changes: [[["chapters", plans.at, key], value]] });
    $("chapter-title").onchange = () => set("title", $("chapter-title").value);
    $("chapter-about").onchange = () => set("description", $("chapter-about").value);
    $("chapter-warn").onchange = () => set("warn", $("chapter-warn").checked);
    $("chapter-up").onclick = () => this.#order(-1);
    $("chapter-down").onclick = () => this.#order(1);
    $("chapter-drop").onclick = () => {
      const all = plans.present.chapters.map((_, at) => at).filter((at) => at !== plans.at);
      plans.change({ order: all });
    };
    $("chapter-part").onchange = () => {
      this.j = Number($("chapter-part").value);
      this.show();
    };
    $("chapter-again").onclick = () => attempt(() => this.#again());
    $("chapter-free").onclick = () => plans.change({ changes: this.#freed() });
  }

  /** Forget what is known of sources, as there may be others. */
  renew() {
    this.sources = null;
    this.measures.clear();
  }
  /** Begin with another plan. */
  forget() {
    this.renew();
    this.j = 0;
  }

  /** The title of a measure. @param {string} name */
  title(name) {
    for (const domain of this.plans.state.domains)
      for (const { metrics } of domain.evaluators)
        for (const each of metrics) if (each.metric === name) return each.title;
    return name.replaceAll("_", " ");
  }

  get chapter() {
    return this.plans.plan?.chapters[this.plans.at];
  }
  /** The part that is shown. Throws an error if none is. */
  get part() {
    const part = this.chapter?.parts[this.j];
    if (!part) throw new Error("No chapter is shown: choose one.");
    return part;
  }
  get found() {
    return this.plans.parts.get(`${this.plans.at}.${this.j}`);
  }

  /** @param {number} more */
  #order(more) {
    const { plans } = this,
      from = plans.at,
      to = from + more,
      all = plans.present.chapters.map((_, at) => at);
    [all[from], all[to]] = [all[to], all[from]];
    plans.at = to;
    return plans.change({ order: all });
  }

  /** Show the chosen chapter. */
  async show() {
    const { plans, chapter } = this,
      own = (this.shows += 1);
    if (!chapter) return;
    this.j = Math.min(this.j, chapter.parts.length - 1);
    const put = (/** @type {HTMLInputElement} */ field, /** @type {string} */ value) => {
      if (document.activeElement !== field) field.value = value;
    };
    $("chapter-heading").textContent = `Chapter ${plans.at + 1}`;
    put($("chapter-title"), chapter.title);
    put($("chapter-about"), chapter.description);
    $("chapter-warn").checked = chapter.warn;
    $("chapter-up").disabled = !plans.at;
    $("chapter-down").disabled = plans.at === plans.present.chapters.length - 1;
    $("chapter-drop").disabled = plans.present.chapters.length < 2;
    $("chapter-part-row").hidden = chapter.parts.length < 2;
    $("chapter-part").replaceChildren(
      ...chapter.parts.map((part, j) =>
        el("option", { value: j, selected: j === this.j }, part.name || `part ${j + 1}`),
      ),
    );
    await attempt(async () => {
      if (!this.sources) {
        const sources = await one("sources");
        this.own = await belonging(plans.state, sources.own);
        this.sources = sources;
      }
      const { part } = this,
        key = JSON.stringify([part.from, part.listed && part.measure]);
      if (!this.measures.has(key))
        this.measures.set(
          key,
          (
            await one("part_measures", {
              name: plans.present.name,
              text: plans.present.text,
              chapter: plans.at + 1,
              part: this.j + 1,
            })
          ).measures,
        );
      if (own === this.shows) this.#sentence(this.measures.get(key) ?? []);
    });
    if (own !== this.shows) return;
    this.#met();
    this.puzzle.show(this.part.sourced);
    rejected(plans, this.j, this.found, this.pictures, (puzzle) => this.puzzle.open(puzzle));
  }

  /** @param {Measure[]} measures */
  #sentence(measures) {
    const { part } = this,
      { strategies = [] } = this.sources ?? {};
    /** @type {Record<string, string>} */
    const known = { ...STRATEGIES, ...ENDS[part.harder] };
    const names = [...strategies, ...(strategies.includes(part.wish.keep) ? [] : [part.wish.keep])];
    this.options.ends = names.map((name) => [name, known[name] ?? name]);
    this.wish.wish = { ...structuredClone(part.wish), count: part.wish.count || COUNT };
    this.wish.offer(measures.length ? [...this.#unmeasured(measures), ...measures] : measures);
    $("chapter-filters").textContent = [
      ...(part.distinct ? ["mirror images count as one"] : []),
    ].join("; ");
  }

  /** What the part names and its source does not measure, so that it is seen and another can be chosen.
   * @param {Measure[]} measures @returns {Measure[]} */
  #unmeasured(measures) {
    const { metric, where, then } = this.part.wish, known = new Set(measures.map((each) => each.metric));
    const all = [metric, ...where.map((each) => each.metric), ...then];
    const named = new Set(all.filter((name) => name && !known.has(name)));
    const usual = { kind: "", direction: "max", unit: "", description: "", headline: 1, words: [], evaluator: "none" };
    return [...named].map((name) => ({ ...usual, metric: name, title: `${this.title(name)} (not measured)` }));
  }

  /** Take how many, how, from where, by what. @param {import("./wish.js").Opening} opening @returns {Child[]} */
  #opening({ count, end, metric }) {
    if (!this.chapter || !this.sources) return [];
    const { part } = this, { questions, runs, shipped } = this.sources;
    const { kind, value } = part.from,
      now = `${kind}:${value}`;
    const option = (/** @type {string} */ own, /** @type {string} */ words) =>
      el("option", { value: own, selected: own === now }, words);
    const asked = questions.map((each) => option(`query:${each.name}`, each.title)),
      files = [...questions, ...shipped].map(({ name }) => name);
    const group = (/** @type {string} */ label, /** @type {Shipped[]} */ some) =>
      some.length ? [el("optgroup", { label }, ...some.map((each) => option(`query:${each.name}`, each.title)))] : [];
    const [mine, others] = divided(shipped, this.own, (each) => each.domains);
    const kept = runs.map((each) => option(`run:${each.run}`, `${each.title} (${each.about || `run ${each.run}`})`));
    const odd =
      kind &&
      !(kind === "query" && files.includes(String(value))) &&
      !(kind === "run" && runs.some(({ run }) => run === value));
    const from = el("select", { id: "chapter-from", "aria-label": "Question" });
    const first = [
      ...(kind ? [] : [option(now, "– choose a question –")]),
      ...(odd ? [option(now, kind === "sql" ? "a SELECT" : String(value))] : []),
      ...asked,
      ...(kept.length ? [el("optgroup", { label: "Answers that are kept" }, ...kept)] : []),
      ...group("Shipped questions", mine),
    ];
    const rest = group("Shipped questions about other kinds", others);
    folded(from, first, rest, "questions about other kinds of puzzles …");
    from.onchange = () => attempt(() => this.#take(from.value));
    const row = (/** @type {string} */ lead, /** @type {Child[]} */ ...parts) =>
      el("p", { class: "row" }, el("span", { class: "lead" }, lead), ...parts);
    const order = this.#orders();
    if (!kind && !this.wish.measures.length) return [row("Take", "puzzles from", from)]; // then by what, too
    return [row("Take", count, end, order), row("from", from), row("by", metric)];
  }

  #orders() {
    const { part } = this,
      words = { easiest_first: "from easy to hard", hardest_first: "from hard to easy", as_selected: "as they come" };
    const made = el(
      "select",
      { id: "chapter-order", "aria-label": "In which order" },
      ...Object.entries(words).map(([value, told]) => el("option", { value, selected: value === part.order }, told)),
    );
    made.onchange = () => this.plans.change({ changes: [[[...part.path, "order"], made.value]] });
    return made;
  }

  /** Take puzzles from another source; what was chosen by hand stays. @param {string} value */
  async #take(value) {
    const { part, plans } = this,
      [kind] = value.split(":"),
      name = value.slice(kind.length + 1),
      { measures } = await one("source_measures", { [kind]: kind === "run" ? Number(name) : name }),
      taken = offered({ ...part.wish, metric: part.measure }, measures),
      /** @returns {Path} */ at = (/** @type {string} */ key) => [...part.path, key];
    /** @type {Edit[]} */
    const changes = part.from.kind && part.from.kind !== kind ? [[at(part.from.kind), null]] : [];
    changes.push([at(kind), kind === "run" ? Number(name) : name], [at("rows"), "all"]);
    if (!part.from.kind && !part.keyed)
      changes.push([at("strategy"), part.wish.keep === "listed" ? "evenly" : part.wish.keep]);
    const hand = this.found?.puzzles?.length ?? 0;
    changes.push([at("count"), Math.max(part.wish.count || 0, COUNT, hand)]);
    const { runs = [], questions = [] } = this.sources ?? {};
    const run = runs.find((each) => String(each.run) === name), asked = questions.find((each) => each.name === name);
    const own = (kind === "run" ? run : asked)?.measure;
    const measure = own && (!part.measure || part.from.kind) ? own : taken.metric;
    if (measure !== part.measure) changes.push([at("measure"), measure]);
    for (const key of /** @type {const} */ (["where", "then"])) {
      const stay = part.from.kind ? [] : taken[key];
      if (stay.length !== part.wish[key].length) changes.push([at(key), stay.length ? stay : null]);
    }
    if (part.listed) changes.push(hand ? [at("fill"), true] : [at("puzzles"), null]);
    return plans.change({ changes });
  }

  /** Change what differs from the wish that the text has. */
  #wished() {
    const { part, plans } = this,
      now = this.wish.value(),
      before = part.wish,
      /** @type {Edit[]} */ changes = [],
      /** @returns {Path} */ at = (/** @type {string} */ key) => [...part.path, key];
    if (now.count !== before.count) changes.push([at("count"), now.count]);
    if (now.keep !== before.keep) changes.push([at("strategy"), now.keep]);
    if (now.metric !== part.measure) changes.push([at("measure"), now.metric]);
    for (const key of /** @type {const} */ (["where", "then"]))
      if (JSON.stringify(now[key]) !== JSON.stringify(before[key])) {
        if (now[key].length || before[key].length) changes.push([at(key), now[key].length ? now[key] : null]);
      }
    if (now.apart !== before.apart) changes.push([at("apart"), now.apart ?? null]);
    if (changes.length) plans.change({ changes });
  }

  // ---- how many there are, and choosing again

  async #met() {
    const { part, found, plans } = this,
      own = this.shows;
    $("chapter-met").textContent =
      found?.met ||
      (!part.listed
        ? ""
        : found?.puzzles?.length
          ? "All of its puzzles are chosen by hand."
          : "Say from which question it takes puzzles.");
    const isList = part.listed && part.sourced;
    $("chapter-again").hidden = !(isList || part.wish.keep === "chance");
    $("chapter-free").hidden = !(isList || part.filled);
    $("chapter-stay").textContent = "";
    this.hand = part.filled ? (found?.puzzles ?? []).filter(({ hand }) => hand).length : 0;
    if (part.filled) $("chapter-stay").textContent = stays(this.hand);
    if (!isList || !found?.puzzles) return;
    const answer = await one("by_hand", {
      name: plans.present.name,
      text: plans.present.text,
      chapter: plans.at + 1,
      part: this.j + 1,
    }).catch(() => null);
    if (!answer?.entries || own !== this.shows) return;
    $("chapter-stay").textContent = answer.entries.length ? stays(answer.entries.length) : "";
    this.stay = answer.entries;
  }

  /** Let the plan choose anew what was not chosen by hand. */
  async #again() {
    const { part, plans } = this,
      /** @returns {Path} */ at = (/** @type {string} */ key) => [...part.path, key];
    if (!part.listed) {
      const seed = Number(/seed (\d+)/.exec(this.found?.rule ?? "")?.[1] ?? 1) + 1;
      return plans.change({ changes: [[at("strategy"), { name: "chance", seed }]] });
    }
    const { entries } = await one("by_hand", {
      name: plans.present.name,
      text: plans.present.text,
      chapter: plans.at + 1,
      part: this.j + 1,
    });
    if (!entries.length) return plans.change({ changes: this.#freed() });
    const count = Math.max(part.wish.count, entries.length);
    return plans.change({
      changes: [
        [at("fill"), true],
        [at("count"), count],
      ],
      lists: [[part.path, entries]],
    });
  }

  /** What lets the plan choose all of a part. @returns {Edit[]} */
  #freed() {
    const { filled, path } = this.part;
    /** @type {Edit} */ const whole = [[...path, "fill"], null];
    return [...(filled ? [whole] : []), [[...path, "puzzles"], null]];
  }

  // ---- one puzzle

  /** Say what one can do to add a puzzle. */
  add() {
    const { part } = this,
      wish = $("chapter-wish");
    if (part.sourced && !part.listed) {
      const count = wish.querySelector("input");
      count?.focus();
      count?.select();
      this.plans.say("More puzzles: raise the number, or put one in from the board or from an answer.");
    } else seek(wish, "#chapter-from")?.focus();
    $("plan-under").textContent =
      "Put a puzzle in from the board or from an answer, drag one here, or raise the number after “Take”.";
  }
}
