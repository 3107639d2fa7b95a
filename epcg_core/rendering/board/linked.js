// What addresses hold: a game as JSON behind "#game=", compressed in letters that addresses may have, or one content.
// @ts-check

/** What the address of a game begins with, before its letters. */
export const LINKED = "#game=";
/** A linked game is not unpacked to more bytes than these. */
const MOST_BYTES = 1 << 26;

/** Bytes in letters of addresses. @param {Uint8Array} bytes */
export function lettersOf(bytes) {
  let found = "";
  for (let at = 0; at < bytes.length; at += 8192) found += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(found).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The part of an address that holds a game. @param {object} game */
export async function linked(game) {
  const stream = new Blob([JSON.stringify(game)]).stream().pipeThrough(new CompressionStream("deflate"));
  return `${LINKED}${lettersOf(new Uint8Array(await new Response(stream).arrayBuffer()))}`;
}

/** The text of a game that an address holds. @param {string} letters */
export async function unlinked(letters) {
  const text = letters.replaceAll("-", "+").replaceAll("_", "/");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  /** @type {Uint8Array<ArrayBuffer>[]} */ const found = [];
  let size = 0;
  for await (const part of /** @type {AsyncIterable<Uint8Array<ArrayBuffer>>} */ (/** @type {unknown} */ (stream))) {
    size += part.length;
    if (size > MOST_BYTES) throw new RangeError("too large");
    found.push(part);
  }
  return new Blob(found).text();
}

/** A text, and its domain if that is known. @typedef {{text: string, domain: string}} Held */

/** What the game of an address is, as a text. @param {string} letters @returns {Promise<Held>} */
async function sourceOf(letters) {
  try {
    const { source, domain = "" } = JSON.parse(await unlinked(letters));
    if (typeof source === "string" && source && typeof domain === "string") return { text: source, domain };
  } catch { /* it is told below */ }
  throw new Error("This address does not hold a whole game: perhaps a program has cut it. Ask for the text instead.");
}

/**
 * The text that an address holds, for another text nothing. Throws an error if it held one, and was cut.
 * @param {string} text @returns {Promise<Held | null>}
 */
export async function heldBy(text) {
  const address = text.trim(), [, game] = address.split(LINKED);
  if (!/^(https?|file):\/\/\S+$/.test(address)) return null;
  if (game !== undefined) return sourceOf(game);
  const [, domain, content] = /^[^#]+#\/([^/]+)\/(.+)$/s.exec(address) ?? [];
  try { return content ? { domain, text: decodeURIComponent(content) } : null; } catch { return null; }
}
