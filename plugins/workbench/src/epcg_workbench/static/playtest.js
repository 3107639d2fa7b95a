// Play tests: what is done in Play is kept on the device while that is wished, and given away only as a file.
// @ts-check
import { one } from "./api.js";
import { $, attempt } from "./base.js";
import { Traces } from "./traces.js";

const NAME = "epcg:workbench:play-test";

/** Where traces are kept: in the browser, if it allows it. */
class Device {
  constructor() {
    /** @type {{test?: import("./traces.js").Test}} */ this.data = {};
    try {
      const found = JSON.parse(localStorage.getItem(NAME) || "{}");
      if (found && typeof found === "object") this.data = found;
    } catch {
      // nothing is there, or the browser keeps nothing
    }
  }

  write() {
    try {
      localStorage.setItem(NAME, JSON.stringify(this.data));
    } catch {
      $("playtest-note").textContent = "This browser keeps nothing: save the file before you close the page.";
    }
  }
}

/** The part of the panel Play that records. */
export class PlayTest {
  /** @param {State} state @param {() => number} taken how many actions are taken */
  constructor(state, taken) {
    this.state = state;
    this.taken = taken;
    this.traces = new Traces(new Device(), "workbench");
    /** Whether what is shown is not what was played: a solution, or a note. */
    this.shown = false;
    this.text = "";
    $("playtest").onchange = () => attempt(() => this.#turn());
    $("playtest-save").onclick = () => this.#save();
    $("playtest-drop").onclick = () => {
      this.traces.forget();
      this.#tell("What was kept is deleted.");
    };
    document.addEventListener("visibilitychange", () => (document.hidden ? this.traces.pause() : this.#resume()));
    addEventListener("pagehide", () => this.traces.pause());
    this.#tell();
  }

  /** A content is begun. */
  async begin() {
    this.shown = false;
    this.text = "";
    this.traces.close();
    if (this.traces.on) await this.#open(false);
  }

  /** Play is left. */
  close() {
    this.traces.close();
    this.text = "";
  }

  /** @param {import("./traces.js").Count} what @param {string} [move] */
  count(what, move) {
    if (!this.shown) this.traces.count(what, move);
    this.#tell();
  }

  /** The player goes back to the start, where recording begins if it was late. */
  restarted() {
    const { traces } = this;
    if (traces.begun && traces.key) traces.open(traces.key, traces.puzzle, false);
    else if (this.shown || this.taken()) traces.count("restarts");
    this.shown = false;
    this.#tell();
  }

  /** Something else than the player's own moves is shown: until a restart, nothing is recorded. */
  look(isSolution = true) {
    if (isSolution && !this.shown) this.traces.shown();
    this.shown = true;
    this.#tell();
  }

  finished() {
    if (!this.shown) this.traces.finished();
  }

  /** @param {boolean} begun whether the content was begun before */
  async #open(begun) {
    const { domain, text } = this.state.bench;
    const message = await one("play", { domain, text, taken: [], named: true });
    if (text !== this.state.bench.text || this.state.mode !== "play") return;
    this.text = text;
    if (message.puzzle) this.traces.open(message.hash, message.puzzle, begun);
    this.#tell(message.puzzle ? "" : `This content is not recorded, because it has no id: ${message.unnamed}`);
  }

  async #turn() {
    const begun = this.taken() > 0;
    this.traces.turn($("playtest").checked, begun);
    this.#tell();
    if (this.traces.on) await this.#open(begun);
  }

  #resume() {
    if (this.text) this.traces.resume();
  }

  #save() {
    const file = this.traces.file(),
      link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(file)], { type: "application/json" }));
    link.download = `traces-${file.player}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /** @param {string} [words] */
  #tell(words = "") {
    const { on, begun, any } = this.traces;
    $("playtest").checked = on;
    $("playtest-save").disabled = $("playtest-drop").disabled = !any;
    const early = on && begun ? "You had begun already: it is recorded from the next restart." : "";
    const looking = on && this.shown ? "It goes on with the next restart." : "";
    $("playtest-note").textContent = words || early || looking;
  }
}
