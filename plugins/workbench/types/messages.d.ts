// What the server answers, and what requests hold: the shapes of `messages.py`, `jobs.py` and their neighbours.
// A test compares them with the server's classes and answers. All modules of the page know these names.

type Value = number | boolean | null;
/** What a measure is. */
interface Metric {
  metric: string;
  kind: string;
  direction: string;
  unit: string;
  description: string;
  title: string;
  headline: number;
  /** The least value that is possible, 0 for what is counted. */
  at_least?: number | null;
  /** What the values 0, 1, 2 ... are called, if they are kinds of something. */
  words: string[];
}
interface Measure extends Metric {
  evaluator: string;
  own?: boolean;
}
interface Measured extends Metric {
  value: Value;
  told?: string;
  reason?: string;
}

/** A content. */
interface Content {
  domain: string;
  text: string;
  hash: string;
  scene: Scene;
}
/** A content with what its editor can do. */
interface Opened extends Content {
  palette: Mark[];
  playable: boolean;
  resizable: boolean;
  shaped: boolean;
  number?: number;
  piece?: string;
}

interface Rule {
  name: string;
  summary: string;
  known: boolean;
}
interface Domain {
  domain: string;
  title: string;
  summary: string;
  editor: string;
  word: [one: string, several: string];
  size: [columns: number, rows: number];
  rules: Rule[];
  evaluators: { name: string; summary: string; metrics: Metric[] }[];
}

interface Settings {
  data: boolean;
  start: string;
  pages: { title: string; summary: string; address: string }[];
  project: boolean;
  folder: string;
  id: string;
  base: string;
  db: string;
}

// ---- play

interface Action {
  sites: string[];
  keys: string[];
  text: string;
}
interface Position {
  hash: string;
  scene: Scene;
  solved: boolean;
  actions: Action[];
  dead?: (boolean | null)[];
  lost?: string;
  puzzle?: string;
  unnamed?: string;
  written?: string;
}
interface Judgement {
  good: boolean;
  label: string;
  sentence: string;
}
interface Solution {
  hash: string;
  expansions: number;
  solution: number[] | null;
  words?: string[];
  shortest?: boolean;
  reason?: string;
  exhausted?: boolean;
  why?: string;
  judged?: Judgement;
  about?: string;
  stopped?: boolean;
}

// ---- wishes and changes

interface Condition {
  metric: string;
  min?: number;
  max?: number;
  equals?: number | boolean | string;
  above?: number;
  below?: number;
  among?: (number | boolean | string)[];
  without?: (number | boolean | string)[];
  absent?: boolean;
}
interface Wish {
  metric: string;
  keep: string;
  count: number;
  where: Condition[];
  then: string[];
  apart?: number | string;
}
interface WishAnswer {
  text: string;
  met?: number;
  ties?: string;
  kept?: number;
  impossible?: number;
  conditions?: { condition: string; first: number; alone: number; others: number; told: string }[];
  candidates?: number;
  equal?: number;
  in_the_way?: string | null;
}
interface Change {
  rank: number;
  edits: unknown[][];
  sites: string[];
  single: boolean;
  description: string;
  value: Value;
  reason: string;
  fails?: number[];
  kind?: string;
}
/** A change that is suggested as an answer to a wish. */
interface Suggestion extends Change {
  values: Record<string, Value>;
  marks: Record<string, string[]>;
  paths: Line[];
}
interface Allowed {
  condition: number;
  metric: string;
  suggestions: Suggestion[];
  nearest: Value;
}
interface Effects {
  hash: string;
  own?: Value;
  owns?: Record<string, Value>;
  evaluator?: string;
  changes?: Change[];
  wish?: WishAnswer;
  wished?: Suggestion[];
  allowed?: Allowed;
  done: number;
  total: number;
  seconds?: number;
  end?: boolean;
  tried?: string;
  suggestions?: Change[];
  cpu?: number;
}

/** What runs would take together; large integers are strings. */
interface Cost {
  remaining: string;
  seconds: number;
  between: [low: number, high: number];
  bytes: string;
  start: number;
  memory: string | null;
  known: boolean;
  unknown: string;
  runs: unknown[];
  stopped?: boolean;
}

/** A column: low, high, how many, how many as wished, and both of all that a sample stands for. */
type BarRow = [
  low: number, high: number, count: number, met: number,
  ofAll?: [number, number] | null, metOfAll?: [number, number] | null,
];
interface Filling {
  text: string;
  scene: Scene;
  scores: Record<string, Value>;
}
interface Fillings {
  hash: string;
  of: string;
  tried: number;
  wish: WishAnswer;
  histogram: BarRow[];
  found: Filling[];
  end?: boolean;
  stopped?: boolean;
}
interface Sketch extends Partial<Cost> {
  hash: string;
  completions: string;
  title?: string;
  toml?: string;
}

// ---- runs

interface Progress {
  done: number;
  total: number;
  unit: string;
  eta_s: number | null;
}
interface RunState {
  number: number;
  title: string;
  toml: string;
  state: "running" | "finished" | "stopped" | "failed";
  progress: Partial<Progress>;
  runs: number[];
  error: string;
  says: string;
  /** What it writes, which a link opens; "" if there is nothing to open. */
  file: string;
  /** The wall time that it took; 0 before it has ended. */
  seconds: number;
}
/** A content that a run keeps, or what its wish says. */
interface Recorded {
  run: number;
  domain: string;
  text: string;
  svg: string;
  scene: Scene;
  scores: Record<string, Value>;
  wish?: WishAnswer;
  so_far?: string;
  of_all?: string;
  histogram?: BarRow[];
}
interface Standing {
  run: number;
  title: string;
  lower: number;
  equal: number;
  higher: number;
  among: string;
  told: string;
}
interface Standings {
  space: string;
  rank: string;
  measures: (Measured & { standings: Standing[] })[];
}

// ---- projects

interface Guess {
  column: number;
  length: number;
  text: string;
  /** All lines in which a fault is about the word, from 1. */
  lines: number[];
}
interface Fault {
  line: number;
  message: string;
  column: number;
  serious: boolean;
  guess?: Guess | null;
  /** Whether it is gone when a fault before it is mended. */
  follows?: boolean;
}
interface Piece {
  kind: string;
  text: string;
  title: string;
  lines: [first: number, last: number];
  hash: string;
}
/** What a text holds. */
interface Sheet {
  usable: boolean;
  title: string;
  author: string;
  pieces: Piece[];
  faults: Fault[];
}
interface ProjectFile {
  file: string;
  kind: string;
  bytes?: number;
  title?: string;
  domain?: string;
  format?: string;
  contents?: number;
  reason?: string;
}
interface OpenFile extends Sheet {
  file: string;
  text: string;
  saved: string | null;
  hash: string;
  domain: string;
  format: string;
  workshop?: boolean;
  art?: boolean;
  messages?: boolean;
  /** Whether its contents can be given names. */
  names?: boolean;
}
interface Changed extends Sheet {
  text: string;
  hash: string;
}
/** What a project remembers of the page. */
interface Kept {
  file?: string;
  piece?: number;
  pane?: boolean;
  page?: string;
  mode?: string;
  wish?: Partial<Wish>;
  fill?: Partial<Wish>;
  chips?: { hash: string; solved: number; unsolvable: number };
}
interface Chip {
  number: number;
  hash: string;
  state: "solved" | "unsolvable" | "unknown" | "unplayed" | "fault";
  moves?: number;
  judged?: Judgement;
  /** The number that its domain tells first, if that is not the one of moves. */
  measure?: { label: string; sentence: string };
  words?: string;
  reason?: string;
  again?: boolean;
}
interface Note {
  id: string;
  taken: number[];
  solved: boolean;
  words: string;
  at: string;
}
interface HistoryNode {
  digest: string;
  parent: string;
  label: string;
  at: string;
  lane: number;
}
/** Something that was open recently. */
interface Card {
  id: string;
  kind: string;
  at: string;
  title: string;
  pictures: string[];
  open: boolean;
  gone?: string;
  folder?: string;
  file?: string;
  domain: string;
  text: string;
  contents?: number;
  word?: string;
  questions?: number;
  plans?: number;
  chips?: { solved: number | null; unsolvable: number | null };
}
/** A way to make a game. */
interface Maker {
  how: string;
  title: string;
  about: string;
  svg: string;
  domain?: string;
  format?: string;
  text?: string;
  ending?: string;
  canvas?: string;
  titled?: string;
}

// ---- workshops

interface Setting {
  key: string;
  title: string;
  kind: "text" | "number" | "range" | "flag" | "choice" | "colour";
  value: string | number | boolean | [number, number];
  choices: [value: string, title: string][];
  minimum: number;
  maximum: number;
  help: string;
}
interface Canvas {
  id: string;
  kind: string;
  title: string;
  subtitle: string;
  sites: Site[];
  painted: Record<string, string>;
  marks: Mark[];
  outline: Line[];
  settings: Setting[];
  note: string;
}
interface Drawn {
  settings: Setting[];
  canvases: Canvas[];
  is_whole?: boolean;
}
/** A picture of a mark that is painted, and all that there are. */
interface Art {
  names: [id: string, title: string][];
  canvas: Canvas;
}
interface GameAnswer {
  title: string;
  solved: boolean | null;
  about: string;
  facts: { title: string; value: string; problem?: boolean }[];
  svg: string;
  stopped?: boolean;
}
interface GameKind {
  title: string;
  puzzles: number | null;
  proper: number | null;
  example: string;
  question: string;
}
interface GameQuestion {
  title: string;
  about: string;
  question: string;
}

// ---- questions

interface Field {
  name: string;
  kind: string;
  required: boolean;
  default: unknown;
  choices: (string | number)[];
  minimum: number | null;
  maximum: number | null;
  help: string;
  long: boolean;
  /** How people tell a number, with {} for it; "" for its name. */
  told: string;
}
/** A field whose choices may be called other than by their names. */
interface TitledField extends Field {
  titles?: Record<string, string>;
}
interface PartInfo {
  name: string;
  summary: string;
  fields: Field[];
}
interface EvaluatorInfo extends PartInfo {
  metrics: [name: string, kind: string, direction: string, description: string][];
}
interface DomainParts {
  domain: string;
  title: string;
  editor: boolean;
  generators: PartInfo[];
  evaluators: EvaluatorInfo[];
}
/** What all domains have. */
interface CommonParts {
  select: Field[];
  keep: string[];
  filter: Field[];
  record: Field[];
  shipped: Shipped[];
  own: string[];
}
/** A question or a plan that is shipped, and the domains that it is about. */
interface Shipped {
  name: string;
  title: string;
  domains: string[];
}
interface PartRef {
  name: string;
  params: Record<string, unknown>;
}
/** A query with all its keys. */
interface Query {
  domain: string;
  title: string;
  generator: PartRef;
  evaluators: PartRef[];
  select: Record<string, unknown>[];
  filter: Record<string, unknown> | null;
}
interface Question {
  text: string;
  query: Query;
  metrics: string[];
  lent: string[];
  measures: Measure[];
  title: string;
  wish: Wish | null;
  kept: string;
  of?: string;
  size?: string;
  count?: string;
  words?: [one: string, several: string];
}
interface QuestionFile {
  file: string;
  title: string;
  size: string;
  measure?: string;
  of?: string;
  count?: string;
  words?: [one: string, several: string];
}
interface KeptAnswer {
  run: number;
  title: string;
  /** What tells it from others of the same title; "" if there are none. */
  about: string;
  state: string;
  count: string;
}
interface Candidate {
  puzzle: string;
  values: Record<string, Value>;
  note: string;
}
/** What is recorded of a question; without `bars` there is nothing to show. */
interface Answered {
  run: number;
  domain: string;
  done: boolean;
  sample: boolean;
  tried: string;
  of: string;
  resumable: boolean;
  editor: boolean;
  cite: string;
  metric: string;
  metrics: Metric[];
  text: string;
  wish?: WishAnswer;
  of_all?: [number, number] | null;
  bars?: BarRow[];
  total: number;
  page?: number;
  pages?: number;
  found: Candidate[];
  stopped?: boolean;
}
/** A format, and what candidates are to its games. */
interface Lead {
  domain: string;
  format: string;
  ending: string;
  takes: string;
}
interface Placed {
  puzzle: string;
  domain: string;
  editor: boolean;
  leads: Lead[];
  measures: (Metric & { value: Value; said: string })[];
  plans: { name: string; title: string; number: number }[];
  stopped?: boolean;
}
/** What is written of a file, or that it is another by now. */
interface Saved {
  stamp: string;
  conflict?: boolean;
  gone?: boolean;
}

// ---- plans

type Path = (string | number)[];
/** A change of a text of TOML: where, and the new value; null removes it. */
type Edit = [path: Path, value: unknown];
interface PlanPart {
  path: Path;
  name: string;
  source: string;
  measure: string;
  listed: boolean;
  filled: boolean;
  sourced: boolean;
  from: { kind: string; value: string | number | null };
  keyed: boolean;
  wish: Wish;
  harder: "higher" | "lower";
  order: string;
  distinct: boolean;
}
interface Chapter {
  name: string;
  title: string;
  description: string;
  warn: boolean;
  parts: PlanPart[];
}
interface Plan {
  name: string;
  text: string;
  hash: string;
  title: string;
  curriculum?: string;
  chapters: Chapter[];
  trouble: string;
  stamp?: string;
}
/** What a part of a plan chooses. */
interface PlanPuzzle {
  puzzle: string;
  domain: string;
  editor: boolean;
  value: Value;
  told: string;
  short: string;
  reason: string;
  entry: string;
  hand: boolean;
}
interface Choice {
  hash: string;
  chapter: number;
  part: number;
  measure: string;
  missing?: string;
  trouble?: string;
  rule?: string;
  source?: string;
  harder?: string;
  candidates?: number;
  met?: string;
  puzzles?: PlanPuzzle[];
  rejections?: [rule: string, count: number][];
  rejected?: (PlanPuzzle & { rule: string })[];
  end?: boolean;
  ready?: boolean;
  stopped?: boolean;
}
interface Novelty {
  puzzle: string;
  marks: string[];
  rules: string[];
  moves: number | null;
  /** That it cannot be solved, in words; "" if it can, or if that is not known. */
  unsolved: string;
}
interface Sources {
  questions: { name: string; title: string; measure: string }[];
  shipped: Shipped[];
  own: string[];
  runs: { run: number; title: string; about: string; measure: string }[];
  strategies: string[];
}

/** The messages of each request's answer. */
interface Answers {
  domains: Domain;
  open: Opened;
  new: Opened;
  puzzle: Opened;
  put: Content;
  lay: Content;
  resize: Content;
  apply: Content;
  casts: { casts?: Record<string, [sites: string[], fits: boolean]> };
  examples: { title: string; text: string; svg: string };
  measures: { hash: string; evaluator: string; metrics: Measured[]; left_out?: string; end?: boolean };
  change_counts: { kind: string; count: number | null; reason?: string };
  effects: Effects;
  reduce: { hash: string; text: string; made?: string[]; tried?: string; end?: boolean; stopped?: boolean };
  play: Position;
  solve: Solution;
  sketch: Sketch;
  fillings: Fillings;
  recorded: Recorded;
  standing: Standings;
  space: Cost & { title: string; toml: string; search: string; space: string; rank: string };
  picture: { puzzle: string; svg: string; reason?: string };

  project: ProjectFile;
  project_open: OpenFile;
  project_new: OpenFile;
  project_check: Sheet & { hash: string };
  project_change: Changed;
  project_piece: Opened & { number: number; piece: string };
  project_save: { file: string; saved: string | null; note?: string; changed?: string; text?: string };
  project_keep: { file: string; saved: string; note: string };
  project_digest: { file: string; saved: string | null };
  project_history: HistoryNode | { dropped: number };
  project_state: { text: string };
  project_look: { number: number | null; svg: string };
  project_session: { session?: Kept };
  project_notes: { hash: string; notes: Note[] };
  project_chips: Chip;
  project_pictures: { palette?: Mark[]; number: number; hash: string; scene?: Scene };
  "/project": { made: string; file: string; address: string };
  recent: Card;
  recent_forget: { forgotten: string };
  recent_keep: { kept: boolean };
  makers: Maker;
  intake: Opened & { belongs: string; file: string };

  workshop: Drawn;
  workshop_change: Drawn & Changed;
  art: Art;
  art_change: Art & Changed;
  workshop_answer: GameAnswer;
  workshop_kinds: GameKind;
  workshop_questions: GameQuestion;
  further: GameQuestion;
  workshop_made: { text: string };

  parts: DomainParts | CommonParts;
  questions: QuestionFile | KeptAnswer;
  question: Question;
  question_file: { name: string; text: string; stamp: string };
  save_question: Saved;
  of_run: { text: string; run: number };
  cost: Cost;
  answered: Answered;
  points: { points: [rank: string, first: number, second: number][]; drawn: boolean };
  placed: Placed;

  plans: {
    folder: string;
    files: { name: string; title: string }[];
    shipped: Shipped[];
    own: string[];
    exports: string[];
  };
  plan: Plan & { stamp: string };
  new_plan: Plan & { stamp: string };
  arrange: Plan;
  insert: Plan & { chapter: number };
  save: Saved;
  stamp: { stamp: string };
  entry: { entry: string; domain: string; text: string; metrics: Measure[] };
  choice: Choice;
  next_best: { puzzle: string; value: Value; told: string; left: number };
  novelties: Novelty;
  sources: Sources;
  part_measures: { measures: Measure[] };
  source_measures: { measures: Measure[] };
  by_hand: { entries: string[] };
  written: { format: string; bytes: number; time: string; file: string; link: string };

  "/record": RunState;
  [follow: `/runs/${number}/follow`]: RunState;
  [stop: `/runs/${number}/stop`]: RunState;
}
