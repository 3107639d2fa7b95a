// What the page that asks begins with: what is kept, else a question about what one works on.
// @ts-check
import { one } from "./api.js";
import { $, el } from "./base.js";
import { divided } from "./foremost.js";
import { folded } from "./more.js";

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

/** The domains of the project, and the one that one works on. @param {State} state @param {string[]} own */
export async function belonging(state, own) {
  const now = await worked(state).catch(() => null);
  return new Set(now ? [...own, now.domain] : own);
}

/**
 * Offer what a question can begin with: a domain, or a question that is shipped; what belongs to the project first.
 * @param {DomainParts[]} domains @param {Shipped[]} shipped @param {Set<string>} own the domains of the project
 */
export function beginnings(domains, shipped, own) {
  const option = (/** @type {string} */ value, /** @type {string} */ words) => el("option", { value }, words);
  const group = (/** @type {string} */ label, /** @type {HTMLElement[]} */ options) =>
    options.length ? [el("optgroup", { label }, ...options)] : [];
  const [mine, others] = divided(domains, own, (each) => [each.domain]);
  const [asked, elsewhere] = divided(shipped, own, (each) => each.domains);
  const all = (/** @type {DomainParts[]} */ some) => some.map((each) => option(each.domain, each.title));
  const named = (/** @type {Shipped[]} */ some) => some.map(({ name, title }) => option(name, title));
  const rest = [
    ...group("All of another kind of puzzle", all(others)),
    ...group("Shipped questions about other kinds", named(elsewhere)),
  ];
  const first = [
    option("", "begin with …"), ...group("All of a kind", all(mine)), ...group("Shipped questions", named(asked)),
  ];
  folded($("ask-begin"), first, rest, "about other kinds of puzzles …");
}
