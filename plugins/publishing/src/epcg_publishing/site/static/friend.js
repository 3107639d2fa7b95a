// The page for a friend: one file, or one address, that runs a game as its player sees it.
// @ts-check
import { GameRun, TITLE, beginOf, goesOn, hasScreens, levelsOf, nameOf } from "./game.js";
import { LINKED, lettersOf, linked, unlinked } from "./linked.js";
import { at, close, failed, first, items, kept, open, player, tools } from "./player.js";
import { inFigures, say } from "./texts.js";

/** @typedef {import("./game.js").GamePart} Part */
/** The letters of an address for a message of a chat program, for programs that may cut it, and for a browser: the
 * figures and their sources stand in `shared_page.py`. */
const CHAT = 2000, LONG = 8000, MOST = 1_048_572;
/** Dots of more levels would fill a phone. */
const MOST_DOTS = 24;

/** The game that runs. @type {SharedGame} */
let file = { title: "", author: "", puzzles: [], after: [], hints: true, source: "", how: [] };
/** The parts of the game, and the puzzle of each level by its place. @type {Map<number, PlayPuzzle>} */
const puzzles = new Map();
/** Whether the game is that of the address. */
const isLinked = location.hash.startsWith(LINKED);

const run = new GameRun({
  place: at("game"),
  isOn: () => !document.querySelector(":popover-open"),
  solved: (place) => kept.of(puzzles.get(place)?.key ?? "").solved === true,
  kept: () => kept.data.at ?? TITLE,
  level(place) {
    const puzzle = puzzles.get(place);
    return puzzle && open(puzzle);
  },
  shown(place, screen) {
    close();
    at("note").textContent = "";
    at("solution").hidden = at("facts").hidden = true;
    at("heading").hidden = screen !== null || (file.puzzles.length === 1 && !puzzles.get(place)?.heading);
    document.body.dataset.screen = screen?.kind ?? "";
    if (screen) { document.title = file.title; document.body.setAttribute("aria-busy", "false"); }
    if (screen?.kind !== "title") keep(screen?.kind === "end" ? TITLE : place);
    const number = puzzles.get(place)?.number ?? 0;
    if (!isLinked) history.replaceState(null, "", number ? `#${number}` : location.pathname + location.search);
    beside(puzzles.get(place));
  },
});

/** Keep where the player is. @param {number} place */
function keep(place) { kept.data.at = place; kept.write(); }

/** The game in parts. @param {SharedGame} game */
function parts({ puzzles: all, after }) {
  /** @type {Part[]} */ const found = [];
  /** @param {string} text @returns {Part} */
  const said = (text) => ({ kind: "message", text });
  puzzles.clear();
  for (const each of all) {
    found.push(...(each.messages ?? []).map(said));
    puzzles.set(found.length, each);
    found.push({ kind: "level", name: each.heading || say("Puzzle {number}", { number: each.number }) });
  }
  return [...found, ...after.map(said)];
}

// ---- what is shown beside a level

/** @param {PlayPuzzle | undefined} puzzle */
function beside(puzzle) {
  const facts = puzzle?.facts ?? [];
  at("facts").hidden = !facts.length;
  at("measures").replaceChildren(...items(facts));
  at("origin").textContent = puzzle?.origin ?? "";
  at("later").hidden = true;
  menu();
}

/** A button that leads to a level, with whether it is solved. @param {number} place @param {string} words */
function leads(place, words) {
  const button = document.createElement("button"), { solved } = kept.of(puzzles.get(place)?.key ?? "");
  button.textContent = words;
  button.title = solved ? say("{level}, solved", { level: nameOf(run.game, place) }) : nameOf(run.game, place);
  button.classList.toggle("solved", solved === true);
  if (place === run.at) { button.classList.add("here"); button.setAttribute("aria-current", "step"); }
  button.onclick = () => { at("levels").hidePopover(); run.go(beginOf(run.game, place)); };
  return button;
}

/** The levels: as dots, of which those of solved ones are filled, and by their names. */
function menu() {
  const levels = levelsOf(run.game), isFew = levels.length > 1 && levels.length <= MOST_DOTS;
  at("dots").hidden = !isFew;
  at("levels-button").hidden = !hasScreens(run.game);
  at("dots").replaceChildren(...(isFew ? levels : []).map((place) => {
    const dot = leads(place, "");
    dot.setAttribute("aria-label", dot.title);
    return dot;
  }));
  at("level-list").replaceChildren(...levels.map((place) => {
    const item = document.createElement("li"), { solved, best } = kept.of(puzzles.get(place)?.key ?? "");
    const mark = document.createElement("span");
    mark.className = "mark";
    mark.textContent = !solved ? "" : best ? say("solved in {count}", { count: best }) : say("solved");
    item.append(leads(place, nameOf(run.game, place)), " ", mark);
    return item;
  }));
}

/** Whether the level is solved, and something follows it. */
const goes = () => !run.screen && player.state?.position.solved === true && hasScreens(run.game);

/** Go on from a solved level. */
function goOn() {
  if (goes()) void run.next();
  return true;
}
first.key = (key) => goes() && goesOn(key) && goOn();
first.touch = () => goes() && goOn();

document.addEventListener("played", () => {
  menu();
  at("later").hidden = !goes();
  at("hint").hidden = !tools.hints || goes();
});
at("later").onclick = goOn;
at("to-title").onclick = () => { at("levels").hidePopover(); run.go(TITLE); };
at("animate").addEventListener("click", () => at("more").hidePopover());

// ---- a game as text, and as an address

/** Copy a text, and say it; where that is not allowed the text is shown. @param {string} text @param {string} says */
async function copy(text, says) {
  at("more").hidePopover();
  try {
    await navigator.clipboard.writeText(text);
    at("note").textContent = says;
    if (run.screen) at("told").textContent = says;
  } catch {
    at("told").textContent = text;
  }
}

/** The address of the game. */
const link = async () => location.href.replace(/#.*/s, "") + await linked(file);

/** Whether data are a game. @param {unknown} data @returns {data is SharedGame} */
function isGame(data) {
  /** @param {unknown} list */
  const isTexts = (list) => Array.isArray(list) && list.every((each) => typeof each === "string");
  /** @param {Record<string, unknown> | null} each @param {string[]} names */
  const hasTexts = (each, ...names) => each !== null && typeof each === "object"
    && names.every((name) => typeof each[name] === "string");
  /** @param {Record<string, unknown>} each @param {number} at */
  const isPuzzle = (each, at) => hasTexts(each, "key", "heading", "chapter", "difficulty", "text", "solution", "why")
    && each.number === at + 1 && isTexts(each.messages) && isTexts(each.facts ?? []) && isTexts(each.steps ?? [])
    && !each.picture && !each.solved && (each.moves === null || typeof each.moves === "string");
  const game = /** @type {Record<string, unknown>} */ (data);
  return hasTexts(game, "title", "author", "source") && typeof game.hints === "boolean" && isTexts(game.after)
    && isTexts(game.how ?? [])
    && Array.isArray(game.puzzles) && game.puzzles.length > 0 && game.puzzles.every(isPuzzle);
}

/** Read the game of the address, or that of the page. */
async function read() {
  if (!isLinked) return JSON.parse(at("puzzles").textContent ?? "");
  const letters = location.hash.slice(LINKED.length), data = JSON.parse(await unlinked(letters));
  if (!isGame(data)) throw new TypeError("not a game");
  const digest = await crypto.subtle?.digest("SHA-256", new TextEncoder().encode(letters));
  const name = digest ? lettersOf(new Uint8Array(digest)).slice(0, 16) : letters.slice(-64);
  kept.use(`game:${name}`);
  return data;
}

async function begin() {
  try {
    file = await read();
  } catch {
    failed(say("This address does not hold a whole game: perhaps a program has cut it. Ask for the file instead."));
    return;
  }
  const { title, author, hints, source, how = [] } = file;
  at("how-button").hidden = !how.length;
  at("rules").replaceChildren(...how.map((each) => Object.assign(document.createElement("p"), { textContent: each })));
  document.body.dataset.title = at("name").textContent = document.title = title;
  tools.hints = hints;
  at("copy").hidden = !source;
  at("link").hidden = !/^https?:$/.test(location.protocol);
  const game = { title, author, parts: parts(file) }, asked = Number(location.hash.slice(1));
  const named = [...puzzles].find(([, { number }]) => number === asked)?.[0];
  void run.open(game, named ?? (hasScreens(game) ? TITLE : 0));
}

at("copy").onclick = () => copy(file.source, say("Copied: paste it into a workbench."));
at("link").onclick = async () => {
  const address = await link(), letters = inFigures(address.length);
  const of = (/** @type {number} */ most) => ({ letters, most: inFigures(most) });
  if (address.length > MOST) {
    at("more").hidePopover();
    const why = of(MOST);
    const told = say("Not copied: browsers open {most} letters, and this would have {letters}. Send the file.", why);
    at("note").textContent = told;
    if (run.screen) at("told").textContent = told;
  } else if (address.length > LONG) {
    const why = of(LONG);
    await copy(address, say("Copied. Some programs cut its {letters} letters at {most}: send the file instead.", why));
  } else if (address.length > CHAT) {
    const why = of(CHAT);
    await copy(address, say("Copied: {letters} letters. Discord takes {most} in a message: send the file there.", why));
  } else await copy(address, say("Copied: the address has {letters} letters, and holds the whole game.", { letters }));
};
addEventListener("hashchange", () => {
  if (isLinked || location.hash.startsWith(LINKED)) location.reload();
  else void begin();
});
void begin();
