// Which part of a list comes first: what belongs to the project, and measures that people ask for first. No page.
// @ts-check

/** Divide a list by what belongs to the domains of the project; all belongs to it if it has none.
 * @template T @param {T[]} list @param {Set<string>} own @param {(each: T) => string[]} domains
 * @returns {[T[], T[]]} what belongs to it, and the rest */
export function divided(list, own, domains) {
  const isOwn = (/** @type {T} */ each) => !own.size || domains(each).some((domain) => own.has(domain));
  return [list.filter(isOwn), list.filter((each) => !isOwn(each))];
}

/** Divide measures by whether people ask for them first, which the domain says. If it says so of none of a question's
 * own measures, these are in front; and all are if nothing else is.
 * @template {{headline: number, own?: boolean}} M @param {M[]} measures @returns {[M[], M[]]} */
export function foremost(measures) {
  const said = measures.some(({ headline, own }) => own && headline);
  const isFirst = (/** @type {M} */ { headline, own }) => Boolean(headline || (own && !said));
  const first = measures.filter(isFirst);
  return first.length ? [first, measures.filter((each) => !isFirst(each))] : [measures, []];
}
