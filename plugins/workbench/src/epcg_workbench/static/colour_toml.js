// The language TOML, line by line: tables, keys and values; texts of several lines go on in the next one.
// @ts-check

/** @typedef {import("./colouring.js").Token} Token */
/** @typedef {import("./colouring.js").Language} Language */

const VALUE = new RegExp([
  /(?<remark>#.*)/, /(?<long>"""|''')/, /(?<string>"(?:[^"\\]|\\.)*"?|'[^']*'?)/,
  /(?<key>[\w-]+(?:\s*\.\s*[\w-]+)*(?=\s*=))/, /(?<number>[+-]?\d[\w.:+-]*|[+-]?(?:inf|nan)\b)/,
  /(?<word>\b(?:true|false)\b)/, /(?<sign>[[\]{},=])/,
].map(({ source }) => source).join("|"), "g");
const HEADING = /^\s*(\[\[?)\s*([^\]]*?)\s*\]\]?/;
const KEY = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*(?==)/;

/**
 * The modes of TOML: the table, and the mark that ends a text of several lines; with what such texts hold.
 * @param {string} name @param {(key: string) => "string" | "picture"} held of the text of a key
 * @param {Record<string, string[]>} keys those of tables, '' being the one at the beginning
 * @returns {Language}
 */
export function tomlLike(name, held, keys) {
  return {
    name,
    begin: "||",

    line(line, mode) {
      const [table, mark, kind] = mode.split("|");
      /** @type {Token[]} */ const tokens = [];
      let at = 0;
      if (mark) {
        const end = line.indexOf(mark);
        const text = end < 0 ? line.length : end;
        if (text) tokens.push({ from: 0, to: text, kind: kind === "picture" ? "picture" : "string" });
        if (end < 0) return { tokens, mode };
        tokens.push({ from: end, to: end + mark.length, kind: "string" });
        at = end + mark.length;
      } else {
        const heading = HEADING.exec(line);
        if (heading) {
          tokens.push({ from: heading[0].search(/\S/), to: heading[0].length, kind: "heading" });
          const remark = line.indexOf("#", heading[0].length);
          if (remark >= 0) tokens.push({ from: remark, to: line.length, kind: "remark" });
          return { tokens, mode: `${heading[2].replaceAll("|", " ")}||` };
        }
      }
      let key = "";
      const front = at ? null : KEY.exec(line);
      if (front) {
        key = front[1];
        const from = front[0].indexOf(key);
        tokens.push({ from, to: from + key.length, kind: "key" });
        at = from + key.length;
      }
      VALUE.lastIndex = at;
      for (let found = VALUE.exec(line); found; found = VALUE.exec(line)) {
        const { index, 0: part, groups = {} } = found;
        const kindOf = Object.keys(groups).find((each) => groups[each] !== undefined) ?? "plain";
        if (kindOf !== "long") {
          tokens.push({ from: index, to: index + part.length, kind: /** @type {Token["kind"]} */ (kindOf) });
          continue;
        }
        const end = line.indexOf(part, index + part.length), to = end < 0 ? line.length : end + part.length;
        tokens.push({ from: index, to, kind: "string" });
        if (end < 0) return { tokens, mode: `${table}|${part}|${held(key)}` };
        VALUE.lastIndex = to;
      }
      return { tokens, mode: `${table}||` };
    },

    names: (lines, modes) => {
      const found = new Set();
      lines.forEach((line, number) => {
        if (modes[number]?.split("|")[1]) return;
        const key = KEY.exec(line)?.[1];
        if (key && /^[\w-]+$/.test(key)) found.add(key);
        const [, title] = /^\s*name\s*=\s*"([\w -]+)"/.exec(line) ?? [];
        if (title) found.add(title);
      });
      return [...found];
    },

    offers(mode, before) {
      const [table, mark] = mode.split("|");
      if (mark || /^\s*#/.test(before)) return { words: [], names: false, isNone: true };
      const tables = Object.keys(keys).filter(Boolean);
      if (/^\s*\[/.test(before)) return { words: tables, names: false };
      const isKey = /^\s*[\w-]*$/.test(before) || /[{,]\s*[\w-]*$/.test(before);
      if (isKey) return { words: keys[table] ?? [], names: true };
      return { words: /["']/.test(before) ? [] : ["true", "false"], names: /["'][^"']*$/.test(before) };
    },
  };
}

export const toml = tomlLike("TOML", () => "string", {});
