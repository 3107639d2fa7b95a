// The one binding of events to a player: keys wherever the focus is, strokes on the board, swipes anywhere, buttons.
// @ts-check
import { swiped } from "./play.js";

/** @typedef {import("./play.js").Player} BoundPlayer */
/**
 * What inputs are bound to: the board, whether it is played now, buttons, a key that means something else first, and
 * what hears that something is in work, or is done.
 * @typedef {object} Bound
 * @property {import("./board.js").EpcgBoard} board an epcg-board
 * @property {() => boolean} isOn
 * @property {(key: string) => boolean} [held]
 * @property {() => void} [changed]
 * @property {(how: "undo" | "redo") => unknown} [beyond] does what Ctrl Z and Ctrl Y mean where no move is taken
 * @property {Record<"undo" | "restart" | "hint", HTMLButtonElement>} buttons
 */

/** A finger that goes so far moves, and does not tap; in pixels. */
const LEAST_MOVED = 8;

/** What letters are typed in, or chosen by. */
const FIELDS = 'input:not([type="checkbox"]), textarea, select, [contenteditable]:not([contenteditable="false"])';
/** What arrow keys lead through themselves; a list that says so is left to them while no pointer has chosen in it. */
const ARROWED = ["radio", "tab", "option", "slider", "spinbutton", "menuitem", "treeitem"].map((role) => `[role="${role}"], `).join("") + "[popover] *";
const LISTS = "[data-arrows]";
/** What Enter and the space bar press. */
const PRESSED = "button, a, summary, input";

/** What a pointer went down on last, if Tab has not led on since: keys are not meant for it, but for the board. */
const pointed = { button: /** @type {Element | null} */ (null), list: /** @type {Element | null} */ (null) };
if (typeof document !== "undefined") {
  document.addEventListener("pointerdown", ({ target }) => {
    Object.assign(pointed, { button: around(target, "button, a, summary"), list: around(target, LISTS) });
  }, true);
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Tab") Object.assign(pointed, { button: null, list: null });
  }, true);
}

/** The element around the target of an event that a selector finds. @param {EventTarget | null} target @param {string} selector */
function around(target, selector) { return target instanceof Element ? target.closest(selector) : null; }

/** Whether a key is for what has the focus, and not for the board. @param {KeyboardEvent} event */
export function isOther({ key, target }) {
  if (around(target, FIELDS)) return true;
  if (key === "Enter" || key === " ") {
    const press = around(target, PRESSED);
    return press !== null && press !== pointed.button;
  }
  if (!key.startsWith("Arrow")) return false;
  const list = around(target, LISTS);
  return around(target, ARROWED) !== null || (list !== null && list !== pointed.list);
}

/** Whether the page scrolls where a finger goes up or down there. @param {EventTarget | null} target */
function scrolls(target) {
  if (document.documentElement.scrollHeight <= innerHeight + 1) return false;
  for (let each = target instanceof Element ? target : null; each; each = each.parentElement)
    if (getComputedStyle(each).touchAction === "none") return false;
  return true;
}

/** Let a player hear what is done on a page. @param {BoundPlayer} player @param {Bound} bound */
export function bindInputs(player, { board, isOn, held = () => false, buttons, changed = () => {}, beyond }) {
  for (const kind of /** @type {const} */ (["undo", "restart", "hint"]))
    buttons[kind].onclick = () => player.do({ kind });
  player.changed = () => {
    buttons.undo.disabled = !player.canUndo;
    buttons.hint.disabled = !player.canHint;
    board.point(player.isPointed);
    changed();
  };
  bindKeys(player, board, isOn, held, beyond);
  bindFingers(player, board, isOn);
}

/** @param {BoundPlayer} player @param {import("./board.js").EpcgBoard} board @param {() => boolean} isOn @param {(key: string) => boolean} held
 * @param {Bound["beyond"]} [beyond] */
function bindKeys(player, board, isOn, held, beyond) {
  /** Whether a key is for the player, which it is given to. @param {KeyboardEvent} event */
  const isTaken = ({ key: name, target, ctrlKey, metaKey, shiftKey }) => {
    const key = name.length === 1 ? name.toLowerCase() : name;
    if (ctrlKey || metaKey) {
      const how = key === "z" && !shiftKey ? "undo" : "redo";
      if (how === "undo" && (player.taken.length || !beyond)) void player.do({ kind: "undo" });
      else if (key === "z" || key === "y") beyond?.(how);
      return key === "z" || key === "y";
    }
    if (held(key)) return true;
    const input = /** @type {const} */ ({ kind: "key", key });
    if (!player.takes(input)) return false;
    const isLeft = around(target, PRESSED) === pointed.button; // also where there is none: on the page itself
    if (isLeft || key.startsWith("Arrow")) board.focus({ preventScroll: true });
    void player.do(input);
    return true;
  };
  document.addEventListener("keydown", (event) => {
    if (!isOn() || event.altKey || isOther(event) || document.querySelector("dialog[open]")) return;
    if (!isTaken(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
}

/** @param {BoundPlayer} player @param {import("./board.js").EpcgBoard} board @param {() => boolean} isOn */
function bindFingers(player, board, isOn) {
  /** @type {PointerEvent | null} Where a finger went down. */ let from = null;
  /** Which arrow key a stroke that ends now would press. */ let swipe = "";
  const ended = () => { from = null; swipe = ""; };
  /** Whether the board draws lines there: over places of lines a finger draws, and over cells it swipes. */
  const isLine = (/** @type {string} */ site) => ["edge", "vertex"].includes(board.sites.get(site)?.kind ?? "");
  document.addEventListener("pointerdown", (event) => {
    from = event.isPrimary && event.pointerType !== "mouse" && isOn() ? event : null;
  }, true);
  document.addEventListener("pointercancel", ended, true);
  document.addEventListener("pointerup", (event) => {
    if (!from || event.pointerId !== from.pointerId) return;
    const { target } = from, isOwn = target instanceof Element && !(target instanceof HTMLInputElement);
    swipe = isOwn ? swiped(event.clientX - from.clientX, event.clientY - from.clientY) : "";
    if (swipe && scrolls(target) && !swipe.match(/Left|Right/)) swipe = "";
    from = null;
    if (swipe && !board.stroke && isOn()) void player.do({ kind: "swipe", key: swipe });
  }, true);
  board.addEventListener("board-stroke", ({ detail: { sites } }) => {
    if (isOn()) void player.do({ kind: "stroke", sites, swipe: isLine(sites[0]) ? "" : swipe });
    swipe = "";
  });
  // A movement that the page has taken is neither a scroll nor a flick, after which browsers leave out the next tap.
  document.addEventListener("touchmove", (event) => {
    const [{ clientX, clientY }] = event.touches;
    if (!from || event.touches.length > 1 || !event.cancelable) return;
    const x = Math.abs(clientX - from.clientX), y = Math.abs(clientY - from.clientY);
    if (Math.max(x, y) >= LEAST_MOVED && (x > y || !scrolls(from.target))) event.preventDefault();
  }, { passive: false });
}
