// The texts that players read, in the language of the page: English ones are in the modules, others beside the page.
// @ts-check

/** A text, or its forms by the names that `Intl.PluralRules` gives numbers. @typedef {string | Record<string, string>} Said */

/** The texts of a page by the English ones; none on English pages. @returns {Record<string, Said>} */
function textsOfPage() {
  const found = typeof document === "undefined" ? null : document.getElementById("texts");
  return found ? JSON.parse(found.textContent ?? "{}") : {};
}

const SAID = textsOfPage();
/** The language of the page. */
export const LANGUAGE = Object.keys(SAID).length ? document.documentElement.lang : "en";
const FORMS = new Intl.PluralRules(LANGUAGE);

/** @param {string} text @param {Record<string, string | number>} values what stands for {names} */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/** A number as people write it. @param {number} number */
export const inFigures = (number) => number.toLocaleString(LANGUAGE);

/** A text in the language of the page. @param {string} text in English @param {Record<string, string | number>} [values] */
export function say(text, values = {}) {
  const found = SAID[text] ?? text;
  return filled(typeof found === "string" ? found : found.other, values);
}

/**
 * A text about a number of things, which stands for {count}.
 * @param {number} count @param {string} one @param {string} many @param {Record<string, string | number>} [values]
 */
export function sayOf(count, one, many, values = {}) {
  const found = SAID[many] ?? (count === 1 ? one : many);
  const text = typeof found === "string" ? found : found[FORMS.select(count)] ?? found.other;
  return filled(text, { count: inFigures(count), ...values });
}
