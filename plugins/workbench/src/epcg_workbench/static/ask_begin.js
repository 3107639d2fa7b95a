// What the page that asks begins with: what is kept, else a question about what one works on.
// @ts-check
import { one } from "./api.js";

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
