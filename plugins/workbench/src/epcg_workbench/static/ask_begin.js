// What the page that asks begins with: what is kept, else a question about what one works on.
// @ts-check
import { one } from "./api.js";
import { el } from "./base.js";

/**
 * The domain and the content that stood on the board, else those of the file that was open last.
 * @param {State} state
 * @returns {Promise<{domain: string, content: string} | null>}
 */
export async function worked({ opened, panels }) {
  if (opened) return { domain: opened.domain, content: opened.text };
  const [, name, number] = panels.project.home().split("/");
  if (!name) return null;
  const { domain, format, text, pieces } = await one("project_open", { file: decodeURIComponent(name) });
  if (!domain) return null;
  const isLevel = (/** @type {number} */ at) => pieces[at]?.kind === "content", at = Number(number) - 1;
  const level = isLevel(at) ? at : pieces.findIndex((_, each) => isLevel(each));
  if (level < 0) return { domain, content: "" };
  const found = await one("project_piece", { domain, format, text, number: level });
  return { domain, content: found.text };
}

/**
 * What a question can begin with: a domain, or a question that is shipped; those of one's own domain first.
 * @param {DomainParts[]} domains @param {string[]} shipped @param {string} [own] the domain that one works on
 */
export function beginnings(domains, shipped, own) {
  const option = (/** @type {string} */ value, /** @type {string} */ words) => el("option", { value }, words);
  const group = (/** @type {string} */ label, /** @type {HTMLElement[]} */ options) =>
    options.length ? [el("optgroup", { label }, ...options)] : [];
  const mine = domains.filter((each) => each.domain === own), others = domains.filter((each) => !mine.includes(each));
  const isMine = (/** @type {string} */ name) => name.startsWith(`${own}/`);
  const named = (/** @type {string[]} */ names) => names.map((name) => option(name, name));
  const all = (/** @type {DomainParts[]} */ some) => some.map((each) => option(each.domain, each.title));
  return [
    option("", "begin with …"),
    ...group("what you work on", [...all(mine), ...named(shipped.filter(isMine))]),
    ...group(mine.length ? "all that another domain can have" : "all that a domain can have", all(others)),
    ...group(
      mine.length ? "another question that is shipped" : "a question that is shipped",
      named(shipped.filter((name) => !isMine(name))),
    ),
  ];
}
