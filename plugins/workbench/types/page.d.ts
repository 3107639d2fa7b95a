// The state of the page, and what its parts are to each other.

type Mode = "edit" | "sketch" | "play" | "analyse";
type PageName = "start" | "bench" | "ask" | "curricula";

/** A step of a content that is open outside of projects. */
interface BenchNode {
  text: string;
  scene: Scene;
  label: string;
  lane: number;
  parent: number;
  child: number;
}
/** What stands on the board. */
interface Bench extends Opened {
  /** Whether it is a level of the open file. */
  ofProject: boolean;
  /** The mark in hand; '' for none. */
  mark: string;
  /** What evaluators have told of it. */
  measures: Answers["measures"][];
  /** Of marks that turn into each other, those that were chosen last. */
  turned: Set<string>;
  nodes: BenchNode[];
  at: number;
  locked: Set<string>;
  /** Whether it was drawn. */
  shown?: boolean;
}

/** A row of the list of the past. */
interface PastRow {
  key: string;
  /** The state that it came from; '' of the first. */
  parent: string;
  label: string;
  lane: number;
  at: number;
  isCurrent: boolean;
}
/** What undo, redo and the list of the past need. */
interface PastSteps {
  canUndo: boolean;
  canRedo: boolean;
  /** Older states that are no longer remembered. */
  dropped?: number;
  undo(): unknown;
  redo(): unknown;
  go(key: string): unknown;
  rows(): PastRow[];
  picture(key: string): PastPicture | Promise<PastPicture>;
}
/** A drawing, or a scene with its palette; '' for none. */
type PastPicture = string | { scene: Scene; palette: Mark[] };

/** What names a puzzle: its content, or its id. */
type PuzzleName = { domain: string; text: string } | { puzzle: string };

type State = import("../src/epcg_workbench/static/state.js").State;
/** The parts of the page; each renders from the state. */
interface Panels {
  answers: import("../src/epcg_workbench/static/answers.js").AnswersPanel;
  art: import("../src/epcg_workbench/static/art.js").ArtDialog;
  arrange: import("../src/epcg_workbench/static/arrange.js").ArrangePage;
  ask: import("../src/epcg_workbench/static/ask.js").AskPage;
  casting: import("../src/epcg_workbench/static/casting.js").Casting;
  changes: import("../src/epcg_workbench/static/changes.js").ChangesPanel;
  documents: import("../src/epcg_workbench/static/documents.js").DocumentButtons;
  first: import("../src/epcg_workbench/static/first.js").FirstPage;
  game: import("../src/epcg_workbench/static/gameplay.js").GamePlay;
  into: import("../src/epcg_workbench/static/into.js").IntoDialog;
  locks: import("../src/epcg_workbench/static/lock_steps.js").LockSteps;
  palette: import("../src/epcg_workbench/static/palette.js").Palette;
  past: import("../src/epcg_workbench/static/past.js").Past;
  play: import("../src/epcg_workbench/static/playing.js").PlayPanel;
  project: import("../src/epcg_workbench/static/project.js").ProjectPage;
  recent: import("../src/epcg_workbench/static/recent.js").Recent;
  share: import("../src/epcg_workbench/static/sharing.js").ShareDialog;
  shop: import("../src/epcg_workbench/static/workshop.js").Workshop;
  sketch: import("../src/epcg_workbench/static/sketch.js").SketchPanel;
  steps: import("../src/epcg_workbench/static/bench_steps.js").BenchSteps;
  tools: import("../src/epcg_workbench/static/drawing.js").DrawTools;
}
