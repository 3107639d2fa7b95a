// The language PuzzleScript, line by line: what each part of a line is, and which words may stand there.
// @ts-check

/** @typedef {import("./colouring.js").Token} Token */
/** @typedef {import("./colouring.js").Kind} Kind */

const HEADER = /^\s*(objects|legend|sounds|collisionlayers|rules|winconditions|levels)\s*$/i;
const SETTINGS = (
  "title author homepage background_color text_color color_palette flickscreen zoomscreen again_interval "
  + "key_repeat_interval realtime_interval youtube run_rules_on_level_start require_player_movement noaction noundo "
  + "norestart scanline norepeat_action throttle_movement debug verbose_logging"
).split(" ");
const RULE_WORDS = (
  "late rigid random randomdir again cancel checkpoint restart win message up down left right horizontal vertical "
  + "orthogonal parallel perpendicular horizontal_par horizontal_perp vertical_par vertical_perp moving stationary no "
  + "action startloop endloop"
).split(" ");
const WORDS = {
  legend: ["and", "or"],
  rules: RULE_WORDS,
  winconditions: ["all", "some", "any", "no", "on"],
  sounds: [
    ..."startgame endgame titlescreen startlevel endlevel restart undo cancel showmessage closemessage move".split(" "),
    ..."action create destroy cantmove up down left right horizontal vertical orthogonal".split(" "),
  ],
  levels: ["message"],
};
const SIGNS = /^(?:->|[[\]|+=,.]|\.{3}|[<>^])$/;
const PART = /->|\.{3}|[[\]|+,=]|(?:(?!->)[^\s[\]|+,=])+/g;
const ROWS = 5;

/** A line with signs instead of its remarks, the remarks, and how deep the next line is in them. */
function uncommented(/** @type {string} */ line, /** @type {number} */ depth) {
  if (!depth && !line.includes("(")) return { bare: line, /** @type {Token[]} */ remarks: [], depth };
  let bare = "", from = depth ? 0 : -1;
  /** @type {Token[]} */ const remarks = [];
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === "(") { if (!depth) from = at; depth += 1; }
    bare += depth ? " " : line[at];
    if (line[at] === ")" && depth) {
      depth -= 1;
      if (!depth) remarks.push({ from, to: at + 1, kind: "remark" });
    }
  }
  if (depth && line.length) remarks.push({ from, to: line.length, kind: "remark" });
  return { bare, remarks, depth };
}

/**
 * The parts of a line, each of the kind that a function tells.
 * @param {string} line @param {(part: string) => Kind | ""} kindOf @returns {Token[]}
 */
function parts(line, kindOf, pattern = PART) {
  return [...line.matchAll(pattern)].flatMap(({ 0: part, index }) => {
    const kind = kindOf(part);
    return kind ? [{ from: index, to: index + part.length, kind }] : [];
  });
}

/** @param {string[]} words @returns {(part: string) => Kind} */
const among = (words) => (part) => {
  const small = part.toLowerCase();
  if (SIGNS.test(part) || (part === "v" && words === RULE_WORDS)) return "sign";
  return words.includes(small) || (words === RULE_WORDS && /^sfx\d+$/.test(small)) ? "word" : "name";
};

/**
 * A line that has a message, from there: what stands before, and the message.
 * @param {string} line @returns {[string, Token[]]}
 */
function messaged(line) {
  const found = /(^|[\s\]|])message(?=\s|$)/i.exec(line);
  if (!found) return [line, []];
  const from = found.index + found[1].length, to = from + "message".length;
  const said = parts(" ".repeat(to) + line.slice(to), () => "string", /\S+(?: \S+)*/g);
  return [line.slice(0, from), [{ from, to, kind: "word" }, ...said]];
}

/** A line of OBJECTS, and which line follows: a name, its colours, or a row of its picture. */
function objectLine(/** @type {string} */ line, /** @type {string} */ next) {
  /** @type {Token[]} */ let tokens = [];
  if (!line.trim()) return { tokens, next: "" };
  const row = next === "" || next === "colours" ? -1 : Number(next);
  if (next === "colours") {
    return { tokens: parts(line, () => "colour", /\S+/g), next: "0" };
  }
  if (row >= 0 && /^\s*[\d.]+\s*$/.test(line)) {
    tokens = parts(line, () => "picture", /\S+/g);
    return { tokens, next: row + 1 < ROWS ? String(row + 1) : "" };
  }
  return { tokens: parts(line, () => "name", /\S+/g), next: "colours" };
}

/** @type {import("./colouring.js").Language} */
export const puzzlescript = {
  name: "PuzzleScript",
  begin: "prelude||0",

  line(line, mode) {
    const [section, next, deep] = mode.split("|"), { bare, remarks, depth } = uncommented(line, Number(deep));
    /** What the next line is. @param {string} name */
    const after = (name, then = "") => `${name}|${then}|${depth}`;
    const header = HEADER.exec(bare);
    if (header || /^\s*=+\s*$/.test(bare)) {
      const tokens = parts(bare, () => "heading", /\S+/g);
      return { tokens: [...tokens, ...remarks], mode: after(header ? header[1].toLowerCase() : section) };
    }
    if (section === "objects") {
      // a line with nothing but a remark does not end an object
      const isRemark = remarks.length > 0 && !bare.trim();
      const { tokens, next: then } = isRemark ? { tokens: [], next } : objectLine(bare, next);
      return { tokens: [...tokens, ...remarks], mode: after(section, then) };
    }
    /** @type {Token[]} */ let tokens = [];
    if (section === "prelude") {
      const [, space = "", key = "", value = ""] = /^(\s*)(\S+)(.*)$/.exec(bare) ?? [];
      const from = space.length, to = from + key.length, isKnown = SETTINGS.includes(key.toLowerCase());
      if (key) tokens = [{ from, to, kind: isKnown ? "key" : "plain" }];
      if (value.trim()) tokens.push({ from: to, to: to + value.length, kind: "string" });
    } else if (section === "levels") {
      const [front, message] = messaged(bare);
      tokens = message.length ? message : parts(front, () => "picture", /\S+/g);
    } else if (section === "rules") {
      const [front, message] = messaged(bare);
      tokens = [...parts(front, among(RULE_WORDS)), ...message];
    } else if (section === "sounds") {
      const isNumber = (/** @type {string} */ part) => /^\d+$/.test(part);
      tokens = parts(bare, (part) => (isNumber(part) ? "number" : among(WORDS.sounds)(part)));
    } else if (section === "legend") {
      const [, sign = ""] = /^\s*(\S+)\s*=/.exec(bare) ?? [], from = sign ? bare.indexOf(sign) : 0;
      const rest = parts(bare.slice(from + sign.length), among(WORDS.legend)).map((token) => (
        { ...token, from: token.from + from + sign.length, to: token.to + from + sign.length }
      ));
      tokens = sign ? [{ from, to: from + sign.length, kind: "key" }, ...rest] : rest;
    } else tokens = parts(bare, among(section === "winconditions" ? WORDS.winconditions : []));
    return { tokens: [...tokens, ...remarks], mode: after(section) };
  },

  names(lines, modes) {
    const found = new Set();
    lines.forEach((line, number) => {
      if (!/^(objects|legend)/.test(modes[number] ?? "")) return;
      const [section, next] = modes[number].split("|");
      if (section === "objects" && next === "") {
        const { bare } = uncommented(line, Number(modes[number].split("|")[2])), [name] = bare.trim().split(/\s+/);
        if (name && !/^=+$/.test(name) && !HEADER.test(name)) found.add(name);
      } else if (section === "legend") {
        const [, name] = /^\s*(\w{2,})\s*=/.exec(line) ?? [];
        if (name) found.add(name);
      }
    });
    return [...found];
  },

  offers(mode, before) {
    const [section, next] = mode.split("|"), isFirst = /^\s*\w*$/.test(before);
    if (section === "prelude") return { words: isFirst ? SETTINGS : [], names: false };
    if (section === "objects") return { words: [], names: false, isNone: next !== "colours" };
    if (section === "levels") return { words: isFirst ? WORDS.levels : [], names: false };
    if (section === "collisionlayers") return { words: [], names: true };
    const words = WORDS[/** @type {keyof typeof WORDS} */ (section)] ?? [];
    return { words, names: section !== "legend" || before.includes("=") };
  },
};
