// What all parts of the page use: elements, sentences of what failed, copies and files.
// @ts-check
import { isLost } from "./api.js";

const FORGET_MS = 10_000;

/**
 * Return an element of the page. Throws an error if the page has none of this id.
 * @template {keyof Ids} K @param {K} id @returns {Ids[K]}
 */
export function $(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return /** @type {Ids[K]} */ (found);
}

/** Return the first element below a place that a selector finds. @param {ParentNode} place @param {string} selector */
export function seek(place, selector) {
  const found = place.querySelector(selector);
  return found instanceof HTMLElement ? found : null;
}

/** Return the elements below a place that a selector finds. @param {ParentNode} place @param {string} selector */
export function all(place, selector) {
  return [...place.querySelectorAll(selector)].filter((each) => each instanceof HTMLElement);
}

/** Return the elements in a place. @param {Element} place */
export function within(place) {
  return [...place.children].filter((each) => each instanceof HTMLElement);
}

/**
 * Return the element that an event is about, or one around it, if a selector finds it.
 * @param {Event} event @param {string} selector
 */
export function around({ target }, selector) {
  const found = target instanceof Element ? target.closest(selector) : null;
  return found instanceof HTMLElement ? found : null;
}

/**
 * Return the element that an arrow key leads to from the one that it is pressed on, round in a group, as in any group
 * of radio buttons; null for other keys. @template {Element} E @param {E[]} group @param {KeyboardEvent} event
 */
export function beside(group, { key, target }) {
  const by = key === "ArrowRight" || key === "ArrowDown" ? 1 : key === "ArrowLeft" || key === "ArrowUp" ? -1 : 0;
  const at = group.findIndex((each) => each === target);
  return by && at >= 0 ? group[(at + by + group.length) % group.length] : null;
}

/** Return the sentence of an error. @param {unknown} error */
export function sentence(error) { return error instanceof Error ? error.message : String(error); }

/**
 * Make an element.
 * @template {keyof HTMLElementTagNameMap} K @param {K} name @param {Attributes} attributes @param {Child[]} children
 */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

let troubles = 0;
/** How often somebody has acted, and had when a sentence was last said: it stays at least until one acts again. */
let acts = 0, said = 0;
for (const kind of ["pointerdown", "keydown", "input", "drop", "paste", "popstate"]) {
  addEventListener(kind, () => { acts += 1; }, true);
}
/** Say what has failed; nothing if all is well. @param {unknown} error */
export function trouble(error) {
  if (isLost(error)) return; // it is said as long as it lasts
  if (error) { troubles += 1; said = acts; }
  $("trouble").textContent = error ? sentence(error) : "";
  $("trouble").hidden = !error;
}

/**
 * Do something, and show a sentence if it fails; one that came meanwhile of something else stays.
 * @template T @param {() => T | Promise<T>} what @returns {Promise<T | undefined>}
 */
export async function attempt(what) {
  const before = troubles;
  busy(1);
  try {
    const found = await what();
    if (troubles === before && acts > said) trouble(null);
    return found;
  } catch (error) {
    trouble(error);
    return undefined;
  } finally {
    busy(-1);
  }
}

let pending = 0;
/** Count what is under way, so that helpers of people and tests know when the page is at rest. @param {number} more */
function busy(more) {
  pending += more;
  document.body.setAttribute("aria-busy", String(pending > 0));
}

/** What is open in this window. */
const titled = { page: "", project: "" };

/**
 * Name a page in the title of the window and, if it has one for readers of screens alone, in its heading.
 * @param {PageName} page @param {string} words '' for the first page
 */
export function headed(page, words) {
  titled.page = words;
  entitle();
  const heading = $(page).querySelector("h1.heard");
  if (heading) heading.textContent = words;
}

/** Name the project in the title of the window, as several may be open. @param {string} name */
export function belongs(name) { titled.project = name; entitle(); }

function entitle() {
  document.title = [titled.page, titled.project, "EPCG workbench"].filter(Boolean).join(" – ");
}

/** Say something below the board. @param {string} sentence */
export function note(sentence) { $("note").textContent = sentence; }

/** Have a file downloaded. @param {string} name @param {BlobPart} data @param {string} type */
export function download(name, data, type) {
  const address = URL.createObjectURL(new Blob([data], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), FORGET_MS);
}

/**
 * Download a picture as PNG, twice as large.
 * @param {string} name @param {{text: string, width: number, height: number}} picture
 */
export async function png(name, { text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;base64,${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width; canvas.height = 2 * height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && download(name, blob, "image/png"));
}

/** Copy a text. @param {string} text @param {string} what what it is called */
export async function copied(text, what, more = "") {
  try {
    await navigator.clipboard.writeText(text);
    note(`${what} copied. ${more}`.trim());
  } catch {
    trouble(new Error("The browser does not allow copying here: mark the text below and copy it."));
  }
}
