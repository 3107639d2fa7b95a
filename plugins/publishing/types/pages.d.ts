// What the pages of a site and of a study read, and what the worker that keeps them hears.

/** The tables of a puzzle's positions, as `epcg_publishing.play_data` writes them. */
interface PlayTables {
  palette: DrawnMark[];
  sites: Site[];
  marks: string[][];
  styles: Omit<Line, "points">[];
  points: Point[];
  notes: string[];
  gestures: [sites: number[], keys: string[], text: string][];
  paths: number;
  positions: number;
  complete: boolean;
  lost?: string;
  words?: string[];
}

/** The tables of a puzzle's play part by part, as `epcg_publishing.play_parts` writes them. */
interface PartTables {
  palette: DrawnMark[];
  sites: Site[];
  marks: string[][];
  scene: { marks: Record<string, string[]>; paths: Line[]; note: string };
  gestures: [sites: number[], keys: string[], text: string][];
  words: string[];
  parts: [look: [site: number, marks: number][], actions: [gesture: number, to: number][], why: number][][];
  goals: number[][][];
  hints: [part: number, why: number][];
  goal: number;
  positions: number;
  complete: boolean;
  lost?: string;
}

/** What a page knows of a puzzle's positions: a graph names them by numbers, play part by part by lists of them. */
interface Positions<Place> {
  tables: { palette: DrawnMark[]; lost?: string };
  start: Place;
  size: number;
  complete: boolean;
  solved(here: Place): boolean;
  known(here: Place): boolean;
  actions(here: Place): { sites: string[]; keys: string[]; text: string; to: Place }[];
  scene(here: Place): Scene;
  distance(here: Place): number;
  hint(here: Place): { number: number; why: string } | null;
  best(here: Place): number;
}

/** A puzzle as its file has it. */
interface PlayPuzzle {
  number: number;
  key: string;
  puzzle: string;
  heading: string;
  chapter: string;
  difficulty: string;
  picture: string | null;
  text: string;
  solved: string | null;
  solution: string;
  steps: string[] | null;
  warn: boolean;
  why: string;
  moves: string | null;
  messages?: string[];
  facts?: string[];
  origin?: string;
}

/** A game of a page of one file, or of an address. */
interface SharedGame {
  title: string;
  author: string;
  puzzles: PlayPuzzle[];
  after: string[];
  hints: boolean;
  source: string;
  /** How it is played; pages that were made before tell it not. */
  how?: string[];
}

/** What a player has beside a puzzle. */
interface Tools {
  hints: boolean;
  solution: boolean;
  warn: boolean;
}
interface StudyQuestion {
  name: string;
  when: "begin" | "puzzle" | "set" | "end";
  kind: "scale" | "which" | "choice" | "number" | "text";
  text: string;
  low: number;
  high: number;
  ends: string[];
  equal: boolean;
  options: string[];
  minimum: number | null;
  maximum: number | null;
  optional: boolean;
  training: boolean;
  block: number;
}
/** What people get in each group: the set, its condition, and the order of its puzzles. */
type Dealt = [set: number, condition: number, order: number[]];
/** A study as `epcg_publishing.study.laid` writes it. */
interface StudyPlan {
  name: string;
  title: string;
  digest: string;
  welcome: string;
  consent: string;
  thanks: string;
  rows: [group: number, dealt: Dealt[]][];
  groups: string[];
  conditions: string[];
  puzzles: { name: string }[];
  sets: { name: string; puzzles: number[] }[];
  training: number[];
  training_tools: Tools[];
  tools: Tools[][];
  questions: StudyQuestion[];
  pictured: boolean[];
}
/** A step of a person's way: a screen to read, a puzzle to play, or questions. */
type StudyStep =
  | { does: "read" }
  | { does: "play"; puzzle: number; tools: Tools; set: string; training: boolean }
  | { does: "ask"; when: StudyQuestion["when"]; about: string; puzzles: number[]; training?: boolean };
/** What a device keeps of a study. */
interface StudyState {
  step: number;
  answers: { question: string; about: string; value: unknown }[];
  draft: Record<string, string | number | null>;
}

// ---- the worker

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface WindowEventMap {
  install: ExtendableEvent;
  activate: ExtendableEvent;
  fetch: FetchEvent;
}
declare var skipWaiting: () => Promise<void>;
declare var clients: { claim(): Promise<void> };
