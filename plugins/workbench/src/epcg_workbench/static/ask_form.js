// What a question is about and measures, as a form of its keys; the sentence stands above it.
// @ts-check

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

export class QuestionForm {
  /**
   * @param {any} page see app.js
   * @param {(path: (string|number)[], value: any) => any} change changes a key of the text
   */
  constructor(page, change) {
    this.page = page;
    this.change = change;
  }

  /**
   * Show the keys of a question.
   * @param {any} found @param {any[]} domains @param {any} common what all domains have
   */
  show(found, domains, common) {
    const { el } = this.page,
      { query } = found;
    const domain = domains.find((each) => each.domain === query.domain);
    if (!domain) return $("ask-fields").replaceChildren(el("p", {}, `There is no domain ${query.domain}.`));
    const focus = /** @type {any} */ (document.activeElement),
      own = focus?.closest?.("#ask-fields")
        ? [focus.closest("[data-part]")?.dataset.part, focus.dataset.field]
        : null;
    const generator = domain.generators.find((each) => each.name === query.generator.name);
    const title = el("input", {
      value: query.title,
      placeholder: found.of ?? "",
      "aria-label": "Title of the question",
      onchange: () => this.change(["title"], title.value || null),
    });
    const parts = [
      el(
        "fieldset",
        { "data-part": "title" },
        el("legend", {}, "The question"),
        el("div", { class: "field" }, el("label", {}, "title"), title),
      ),
      this.#part(
        `What it is about${found.count ? `: ${Number(found.count).toLocaleString("en")} ${found.words[1]}` : ""}`,
        domain.generators,
        query.generator,
        generator,
        ["generator"],
      ),
    ];
    parts.push(this.#filter(query, found, common));
    query.evaluators.forEach((part, at) => {
      const info = domain.evaluators.find((each) => each.name === part.name);
      const names = (info?.metrics ?? []).map(
        ([name]) => found.measures.find((each) => each.metric === name)?.title ?? name.replaceAll("_", " "),
      );
      parts.push(
        this.#part(
          `It measures: ${names.join(", ") || part.name}`,
          domain.evaluators,
          part,
          info,
          ["evaluators", at],
          query.evaluators.length > 1,
        ),
      );
    });
    const next = (name) => name && this.change(["evaluators", query.evaluators.length], { name });
    parts.push(
      el(
        "p",
        {},
        el(
          "label",
          {},
          "Further measures ",
          this.#choice(
            "",
            [
              ["", "…"],
              ...domain.evaluators.map((each) => [
                each.name,
                each.metrics
                  .map(([name]) => found.measures.find((m) => m.metric === name)?.title ?? name)
                  .join(", ")
                  .slice(0, 60),
              ]),
            ],
            next,
          ),
        ),
      ),
    );
    query.select.forEach((rule, at) => at > 0 && parts.push(this.#rule(rule, at, found, common)));
    $("ask-fields").replaceChildren(...parts);
    if (own) /** @type {any} */ (document.querySelector(`[data-part="${own[0]}"] [data-field="${own[1]}"]`))?.focus();
    return undefined;
  }

  /** Which contents are measured at all: those with some values of another measure. */
  #filter(query, found, common) {
    const { el } = this.page,
      { filter } = query,
      all = found.words?.[1] ?? "puzzles";
    if (!filter) {
      const begin = (name) => {
        const own = found.measures.find((each) => each.metric === name);
        if (own) this.change(["filter"], { metric: name, min: 1, evaluators: [{ name: own.evaluator }] });
      };
      return el(
        "p",
        {},
        el(
          "label",
          {},
          `Measure only ${all} by `,
          this.#choice(
            "",
            [["", "… (all are measured)"], ...found.measures.map((each) => [each.metric, each.title])],
            begin,
          ),
        ),
      );
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

  /** A further rule of what is kept. */
  #rule(rule, at, found, common) {
    const { el } = this.page;
    const kinds = { metric: found.metrics, keep: common.keep };
    const fields = common.select
      .filter(({ name }) => !["where", "then", "apart"].includes(name) || rule[name])
      .map((field) => ({ ...field, ...(kinds[field.name] ? { kind: "choice", choices: kinds[field.name] } : {}) }));
    const remove = el("button", { onclick: () => this.change(["select", at], null) }, "Remove");
    return el(
      "fieldset",
      { "data-part": `select-${at}` },
      el("legend", {}, `It keeps, too (${at + 1})`),
      ...fields.map((field) => this.#field(field, rule[field.name], ["select", at, field.name])),
      remove,
    );
  }

  #part(title, all, part, info, path, removable = false) {
    const { el } = this.page;
    const names = all.map((each) => [
      each.name,
      each.summary ? `${each.name.replaceAll("_", " ")}: ${each.summary}`.slice(0, 90) : each.name,
    ]);
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

  #choice(value, options, take) {
    const { el } = this.page;
    const made = el(
      "select",
      { onchange: () => take(made.value) },
      ...options.map(([name, title]) => el("option", { value: name, selected: name === value }, title)),
    );
    return made;
  }

  /** One param. @param {any} field @param {any} value @param {(string|number)[]} path */
  #field(field, value, path) {
    const { el } = this.page;
    const set = (next) => this.change(path, next);
    const told = (each) =>
      each === undefined || each === null ? "" : typeof each === "object" ? JSON.stringify(each) : String(each);
    const given = told(value),
      usual = told(field.default);
    let input;
    if (field.kind === "bool")
      input = el("input", { type: "checkbox", checked: value ?? field.default, onchange: () => set(input.checked) });
    else if (field.kind === "choice") {
      const options = [
        ...(field.required || given ? [] : [["", usual || "…"]]),
        ...field.choices.map((each) => [String(each), String(each)]),
      ];
      input = this.#choice(given, options, (name) =>
        set(name === "" ? null : field.choices.find((each) => String(each) === name)),
      );
    } else if (field.long) {
      input = el("textarea", { rows: "5", spellcheck: "false", onchange: () => set(input.value || null) });
      input.value = given;
    } else if (field.kind === "int" || field.kind === "float") {
      const about = {
        type: "number",
        step: field.kind === "int" ? "1" : "any",
        min: field.minimum ?? undefined,
        max: field.maximum ?? undefined,
      };
      input = el("input", {
        ...about,
        placeholder: usual,
        value: given,
        onchange: () => set(input.value === "" ? null : Number(input.value)),
      });
    } else
      input = el("input", {
        placeholder: usual,
        value: given,
        onchange: () => set(input.value === "" ? null : field.kind === "text" ? input.value : { toml: input.value }),
      });
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
}
