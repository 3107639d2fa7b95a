// What a question is about and measures, as a form of its keys; the sentence stands above it.
// @ts-check
import { $, el, seek } from "./base.js";
import { foremost } from "./foremost.js";
import { folded } from "./more.js";
import { counted } from "./words.js";

const capital = (/** @type {string} */ words) => words.charAt(0).toUpperCase() + words.slice(1);

export class QuestionForm {
  /** @param {(path: Path, value: unknown) => unknown} change changes a key of the text */
  constructor(change) {
    this.change = change;
  }

  /**
   * Show the keys of a question.
   * @param {Question} found @param {DomainParts[]} domains @param {CommonParts} common
   */
  show(found, domains, common) {
    const { query } = found;
    const domain = domains.find((each) => each.domain === query.domain);
    if (!domain) return $("ask-fields").replaceChildren(el("p", {}, `There is no domain ${query.domain}.`));
    const focus = document.activeElement,
      own = focus?.closest("#ask-fields")
        ? [focus.closest("[data-part]")?.getAttribute("data-part"), focus.getAttribute("data-field")]
        : null;
    const generator = domain.generators.find((each) => each.name === query.generator.name);
    const named = { value: query.title, placeholder: found.of ?? "", "aria-label": "Title of the question" };
    const title = el("input", named);
    title.onchange = () => this.change(["title"], title.value || null);
    const [word, words] = found.words ?? ["puzzle", "puzzles"];
    const many = found.count ? `: ${counted(BigInt(found.count), word, words)}` : "";
    /** @type {Child[]} */
    const parts = [
      el(
        "fieldset",
        { "data-part": "title" },
        el("legend", {}, "The question"),
        el("div", { class: "field" }, el("label", {}, "title"), title),
      ),
      this.#part(
        `What it is about${many}`,
        domain.generators,
        query.generator,
        generator,
        ["generator"],
      ),
    ];
    parts.push(this.#filter(query, found, common));
    query.evaluators.forEach((part, at) => {
      const info = domain.evaluators.find((each) => each.name === part.name);
      const names = (info?.metrics ?? []).map(([name]) => this.#title(found, name));
      parts.push(
        this.#part(
          `It measures: ${names.join(", ") || part.name.replaceAll("_", " ")}`,
          domain.evaluators,
          part,
          info,
          ["evaluators", at],
          query.evaluators.length > 1,
        ),
      );
    });
    const next = (/** @type {string} */ name) => name && this.change(["evaluators", query.evaluators.length], { name });
    const isFirst = (/** @type {DomainParts["evaluators"][0]} */ { metrics }) =>
      metrics.some(([name]) => found.measures.some((each) => each.metric === name && each.headline));
    const offered = domain.evaluators.filter(({ name }) => !query.evaluators.some((each) => each.name === name));
    const rows = (/** @type {DomainParts["evaluators"]} */ some) =>
      some.map(({ name, metrics, summary }) => {
        const titles = metrics.map(([metric]) => this.#title(found, metric)).join(", ");
        return [name, titles.length > 60 ? `${titles.slice(0, 60)} …` : titles || capital(summary)];
      });
    const further = this.#folding(
      "ask-further", rows(offered.filter(isFirst)), rows(offered.filter((each) => !isFirst(each))), next);
    parts.push(el("p", {}, el("label", {}, "Further measures ", further)));
    query.select.forEach((rule, at) => at > 0 && parts.push(this.#rule(rule, at, found, common)));
    $("ask-fields").replaceChildren(...parts);
    if (own) seek($("ask-fields"), `[data-part="${own[0]}"] [data-field="${own[1]}"]`)?.focus();
    return undefined;
  }

  /** Which contents are measured at all: those with some values of another measure.
   * @param {Query} query @param {Question} found @param {CommonParts} common */
  #filter(query, found, common) {
    const { filter } = query,
      all = found.words?.[1] ?? "puzzles";
    if (!filter) {
      const begin = (/** @type {string} */ name) => {
        const own = found.measures.find((each) => each.metric === name);
        if (own) this.change(["filter"], { metric: name, min: 1, evaluators: [{ name: own.evaluator }] });
      };
      const [first, rest] = foremost(found.measures).map((some) => some.map((each) => [each.metric, each.title]));
      const list = this.#folding("ask-filter", first, rest, begin, "… (all are measured)");
      return el("p", {}, el("label", {}, `Measure only ${all} by `, list));
    }
    const fields = common.filter.map((field) => this.#field(field, filter[field.name], ["filter", field.name]));
    const remove = el("button", { onclick: () => this.change(["filter"], null) }, `Measure all ${all}`);
    return el(
      "fieldset",
      { "data-part": "filter" },
      el("legend", {}, `It measures only ${all} with`),
      ...fields,
      remove,
    );
  }

  /**
   * A further rule of what is kept.
   * @param {Record<string, unknown>} rule @param {number} at @param {Question} found @param {CommonParts} common
   */
  #rule(rule, at, found, common) {
    /** @type {Record<string, string[]>} */
    const kinds = { metric: found.metrics, keep: common.keep };
    const titles = Object.fromEntries(found.metrics.map((name) => [name, this.#title(found, name)]));
    const fields = common.select
      .filter(({ name }) => !["where", "then", "apart"].includes(name) || rule[name])
      .map((field) => (kinds[field.name] ? { ...field, kind: "choice", choices: kinds[field.name], titles } : field));
    const remove = el("button", { onclick: () => this.change(["select", at], null) }, "Remove");
    return el(
      "fieldset",
      { "data-part": `select-${at}` },
      el("legend", {}, `It keeps, too (${at + 1})`),
      ...fields.map((field) => this.#field(field, rule[field.name], ["select", at, field.name])),
      remove,
    );
  }

  /**
   * A part of the question: its kind, and its params.
   * @param {string} title @param {PartInfo[]} all that there are @param {PartRef} part
   * @param {PartInfo | undefined} info what is known of it @param {Path} path @param {boolean} [removable]
   */
  #part(title, all, part, info, path, removable = false) {
    const names = all.map(({ name, summary }) => [name, summary ? capital(summary) : name.replaceAll("_", " ")]);
    if (!info) names.unshift([part.name, `${part.name} (unknown)`]);
    const choice = this.#choice(part.name, names, (name) => this.change(path, { name }));
    choice.setAttribute("aria-label", "Kind");
    const fields = (info?.fields ?? []).map((field) =>
      this.#field(field, part.params[field.name], [...path, field.name]),
    );
    const remove = removable ? el("button", { onclick: () => this.change(path, null) }, "Remove") : "";
    return el(
      "fieldset",
      { "data-part": path.join("-") },
      el("legend", {}, title),
      el("div", { class: "field" }, el("label", {}, "kind"), choice),
      ...fields,
      remove,
    );
  }

  /** @param {string} value @param {string[][]} options names with titles @param {(name: string) => unknown} take */
  #choice(value, options, take) {
    const rows = options.map(([name, title]) => el("option", { value: name, selected: name === value }, title));
    const made = el("select", {}, ...rows);
    made.onchange = () => take(made.value);
    return made;
  }

  /**
   * A list whose first rows are shown, and the rest behind "more"; what is chosen is added, so none is chosen.
   * @param {string} id @param {string[][]} first names with titles @param {string[][]} rest
   * @param {(name: string) => unknown} take @param {string} [none]
   */
  #folding(id, first, rest, take, none = "…") {
    const options = (/** @type {string[][]} */ rows) => rows.map(([value, title]) => el("option", { value }, title));
    const made = el("select", { id });
    made.onchange = () => take(made.value);
    return folded(made, [el("option", { value: "" }, none), ...options(first)], options(rest), "more measures …");
  }

  /** The title of a measure. @param {Question} found @param {string} name */
  #title(found, name) {
    return found.measures.find((each) => each.metric === name)?.title ?? name.replaceAll("_", " ");
  }

  /** One param. @param {TitledField} field @param {unknown} value @param {Path} path */
  #field(field, value, path) {
    const set = (/** @type {unknown} */ next) => this.change(path, next);
    const told = (/** @type {unknown} */ each) =>
      each === undefined || each === null ? "" : typeof each === "object" ? JSON.stringify(each) : String(each);
    const given = told(value),
      usual = told(field.default),
      input = this.#input(field, value ?? field.default, given, usual, set);
    input.setAttribute("aria-label", field.name);
    input.dataset.field = field.name;
    return el(
      "div",
      { class: "field" },
      el("label", {}, field.name.replaceAll("_", " ")),
      input,
      el("small", {}, field.help),
    );
  }
  /**
   * What a param is set with.
   * @param {TitledField} field @param {unknown} value @param {string} given as text @param {string} usual as text
   * @param {(next: unknown) => unknown} set
   */
  #input(field, value, given, usual, set) {
    if (field.kind === "choice") {
      const options = [
        ...(field.required || given ? [] : [["", usual || "…"]]),
        ...field.choices.map((each) => [String(each), field.titles?.[String(each)] ?? String(each)]),
      ];
      return this.#choice(given, options, (name) =>
        set(name === "" ? null : field.choices.find((each) => String(each) === name)),
      );
    }
    if (field.long) {
      const text = el("textarea", { rows: "5", spellcheck: "false" });
      text.value = given;
      text.onchange = () => set(text.value || null);
      return text;
    }
    const isBox = field.kind === "bool", isNumber = field.kind === "int" || field.kind === "float";
    const { minimum: min, maximum: max } = field;
    const limits = { step: field.kind === "int" ? "1" : "any", min: min ?? undefined, max: max ?? undefined };
    const about = isBox ? { type: "checkbox", checked: value } : { placeholder: usual, value: given };
    const input = el("input", isNumber ? { type: "number", ...limits, ...about } : about);
    const written = () => (
      isNumber ? Number(input.value) : field.kind === "text" ? input.value : { toml: input.value });
    input.onchange = () => set(isBox ? input.checked : input.value === "" ? null : written());
    return input;
  }
}
