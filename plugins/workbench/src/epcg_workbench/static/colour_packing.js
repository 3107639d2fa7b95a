// Games of pieces, line by line: TOML with drawings of boards and pieces.
// @ts-check
import { tomlLike } from "./colour_toml.js";

const DRAWN = ["drawing"];
const KEYS = {
  "": ["title", "author", "description", "lattice", "colours", "board", "pieces", "rules", "back", "puzzles"],
  board: ["drawing", "family", "wants"],
  pieces: ["name", "drawing", "shapes", "copies", "colour", "turn", "flip", "of", "count"],
  rules: ["unused", "empty"],
  back: ["bumps", "split"],
  puzzles: ["title"],
};

export const packing = tomlLike("game of pieces", (key) => (DRAWN.includes(key) ? "picture" : "string"), KEYS);
