// What a board draws, and what it says of touches. All modules of the pages know these names.

type Point = number[];
/** A place: id, kind, corners or ends, title. */
type Site = [id: string, kind: string, points: Point[], title: string];

/** How a mark looks. */
interface DrawnMark {
  name: string;
  title?: string;
  colour?: string;
  /** The colour on edges and vertices, if it is another one there. */
  lines?: string;
  glyph?: string;
  outline?: string;
  picture?: [fill: string, data: string][];
  fills?: boolean;
  kinds?: string[];
  /** How it looks in the palette, if it looks otherwise on the board. */
  tile?: [fill: string, data: string][];
}
/** A mark of an editor's palette. */
interface Mark extends DrawnMark {
  title: string;
  kinds: string[];
  key?: string;
  layer?: string;
  turned?: string;
  flipped?: string;
  group?: string;
  stroke?: boolean;
  /** All that its site shows afterwards, if it stands for several marks; of the mark without a name: nothing more. */
  shows?: string[] | null;
  /** The name of what there is one of. */
  once?: string;
}

interface Line {
  points: Point[];
  colour: string;
  width: number;
  closed: boolean;
  fill: string;
  head: boolean;
  title: string;
}

interface Scene {
  sites: Site[];
  marks: Record<string, string[]>;
  paths: Line[];
  note: string;
}

/** What an element can hold. */
type Child = Node | string;

/** What strokes over a board say. */
interface Stroke {
  sites: string[];
  erase: boolean;
  isArea?: boolean;
  byKey?: boolean;
  shift?: boolean;
  alt?: boolean;
}
interface HTMLElementEventMap {
  "board-stroke": CustomEvent<Stroke>;
  "board-hover": CustomEvent<{ site: string }>;
  "board-cursor": CustomEvent<{ site: string; words: string }>;
  "board-letter": CustomEvent<{ key: string; site: string }>;
  "board-arrow": CustomEvent<{ key: string; site: string }>;
  "board-region": CustomEvent<{ sites: string[] }>;
  "board-move": CustomEvent<{ from: string; to: string }>;
}
interface HTMLElementTagNameMap {
  "epcg-board": import("./board.js").EpcgBoard;
}
