// A study: consent, then puzzles and questions in this person's order, then one file.
// @ts-check
import { drawn, misnamed, person, personOf, plan, rowOf, sequenceOf, stepsOf } from "./person.js";
import { Form, made } from "./questions.js";
import { at, close, kept, load, tools, traces } from "./player.js";
import { say } from "./texts.js";

const row = person ? rowOf(person) : 0;
const steps = person ? stepsOf(row) : [];
/** The puzzles that are played. */
const trials = steps.flatMap((step) => (step.does === "play" ? [step] : []));
const mainPuzzles = trials.filter((step) => !step.training).length;
/** @typedef {Extract<StudyStep, {does: "play"}>} Playing */
/** @typedef {Extract<StudyStep, {does: "ask"}>} Asking */
/** The rules, if the domains tell any. */
const how = document.getElementById("how");
/** Whether the puzzle that is shown was solved. */
let solved = false;

/** What is kept: the step, the answers, and those of a form that is not finished; nothing before a person agrees. */
const agreed = () => kept.data.study;
/** @returns {StudyState} */
const state = () => agreed() ?? { step: 0, answers: [], draft: {} };

/** @param {Partial<StudyState>} change */
function keep(change) {
  kept.data.study = { ...state(), ...change };
  kept.write();
}

/** Show elements instead of a puzzle. @param {...(string | Node)} inside */
function screen(...inside) {
  close();
  at("task").hidden = true;
  at("screen").hidden = false;
  at("screen").replaceChildren(...inside);
  at("keeps").hidden = kept.works;
  scrollTo(0, 0);
  const first = at("screen").querySelector("h2");
  if (first) { first.tabIndex = -1; first.focus({ preventScroll: true }); }
}

const paragraphs = (/** @type {string} */ text) => text.split(/\n\s*\n/).filter(Boolean).map((part) => made("p", {}, part.replace(/\s+/g, " ").trim()));
/** @param {string} text @param {string} id @param {() => unknown} does */
const button = (text, id, does, more = "") => made("button", { id, className: `button ${more}`, onclick: does }, text);
const bar = (/** @type {Child[]} */ ...inside) => made("p", { className: "bar" }, ...inside);

/** Ask who it is; the answer becomes part of the address. */
function ask() {
  const field = made("input", { id: "code", autocomplete: "off", autocapitalize: "off", spellcheck: false });
  const says = made("p", { className: "missing", id: "missing" }, misnamed ? say("The address of this page names no person: write your number or code.") : "");
  says.setAttribute("role", "alert");
  const go = (/** @type {string} */ code) => {
    if (!personOf(code)) { says.textContent = say("A number has up to 15 digits; a code has up to 40 letters, digits, - and _."); field.focus(); return; }
    location.search = `?p=${encodeURIComponent(personOf(code))}`;
  };
  const form = made("form", { onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); go(field.value); } },
    made("p", {}, made("label", { htmlFor: "code" }, say("Your number or code"))), field, says,
    bar(made("button", { id: "use", className: "button ready" }, say("Go on")), made("button", { id: "draw", type: "button", className: "button", onclick: () => go(drawn()) }, say("I have none"))));
  screen(made("h2", {}, say("Who takes part?")), ...paragraphs(plan.welcome), form, made("p", { className: "muted" }, say("It is not your name. It decides in which order you get the puzzles.")));
}

function consent() {
  screen(...paragraphs(plan.welcome), made("h2", {}, say("Do you want to take part?")), ...paragraphs(plan.consent),
    made("p", { className: "muted" }, say("This page sends nothing. If you agree, this device keeps what you do here: your answers, and every move, undo, restart, hint and solution with its time. At the end you save one file. You can stop at any time and delete it.")),
    bar(button(say("I agree, begin"), "agree", () => { keep({ step: 0, answers: [], draft: {} }); traces.turn(true, false); showStep(); }, "ready"),
      button(say("I do not take part"), "decline", () => screen(made("h2", {}, say("Thank you")), made("p", {}, say("Nothing was kept, and nothing was sent. You can close this page."))))));
}

/** Show the step that the person has come to. */
function showStep() {
  const step = steps[state().step];
  at("stop").hidden = !step;
  at("progress").hidden = false;
  at("progress").max = steps.length; at("progress").value = state().step;
  at("where").textContent = where(step);
  document.title = `${at("where").textContent || plan.title} – ${plan.title}`;
  if (!step) return end();
  if (step.does === "read") return read();
  if (step.does === "play") return play(step);
  return questions(step);
}

/** @param {StudyStep | undefined} step */
function where(step) {
  if (!step || step.does === "read") return "";
  if (step.does === "ask") return step.training ? say("Training: a question") : step.when === "puzzle" ? say("About this puzzle") : step.when === "set" ? say("About these puzzles") : say("About you and the puzzles");
  const alike = trials.filter((each) => each.training === step.training);
  const number = alike.indexOf(step) + 1;
  return step.training ? say("Training {number} of {all}", { number, all: alike.length }) : say("Puzzle {number} of {all}", { number, all: mainPuzzles });
}

/** The rules, on a screen of their own; beside a puzzle they can be opened. */
function read() {
  const rules = [...(how?.querySelectorAll(":scope > div") ?? [])].map((each) => each.cloneNode(true));
  screen(made("h2", {}, say("How to play")), made("div", { className: "how" }, ...rules), bar(button(say("Go on"), "read", () => next(), "ready end")));
}

function next(change = {}) {
  keep({ ...change, step: state().step + 1, draft: {} });
  showStep();
}

/** @param {Playing} step */
function play(step) {
  at("screen").hidden = true;
  at("task").hidden = false;
  Object.assign(tools, step.tools);
  solved = false;
  controls();
  how?.removeAttribute("open");
  scrollTo(0, 0);
  load(step.puzzle + 1);
}

function controls() {
  at("go-on").disabled = !solved;
  at("go-on").classList.toggle("ready", solved);
  at("give-up").hidden = solved;
}

document.addEventListener("played", (event) => {
  solved ||= /** @type {CustomEvent} */ (event).detail.solved;
  document.title = `${at("where").textContent} – ${plan.title}`;
  controls();
});

/** @param {Asking} step */
function questions(step) {
  const form = new Form(step, state().draft, (draft) => keep({ draft }));
  const title = step.when === "puzzle" ? say("The puzzle that you just played") : step.when === "set" ? step.puzzles.length === 2 ? say("The two puzzles that you just played") : say("The {count} puzzles that you just played", { count: step.puzzles.length }) : step.when === "begin" ? say("Before you begin") : say("At the end");
  const send = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const answers = form.answers();
    if (answers) next({ answers: [...state().answers, ...answers] });
  };
  screen(made("form", { noValidate: true, onsubmit: send }, made("h2", {}, title), ...form.elements(), bar(made("button", { id: "answer", className: "button ready end" }, say("Go on")))));
}

/** What the person saves. */
function file() {
  const [group] = plan.rows[row];
  const { answers, step } = state();
  return {
    format: "epcg-study", version: 1, study: plan.name, plan: plan.digest, person, row, group: plan.groups[group] ?? "",
    complete: step >= steps.length, sequence: sequenceOf(row), answers, traces: { ...traces.file(), curriculum: plan.name },
  };
}

function saveFile() {
  const text = JSON.stringify(file(), null, 1), link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${plan.name.replace(/[^\w.-]+/g, "-")}-${person}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  const says = document.getElementById("saved");
  if (says) says.textContent = say("Saved as {name}, where this browser puts downloads.", { name: link.download });
}

function saving() {
  const text = made("textarea", { readOnly: true, rows: 6 });
  text.setAttribute("aria-label", say("The file as text"));
  const other = made("details", { ontoggle: () => { text.value = JSON.stringify(file()); } }, made("summary", {}, say("If it cannot be saved: the file as text, to copy")), text);
  return [bar(button(say("Save the file"), "save", saveFile, "ready"), button(say("Delete what was kept"), "delete", drop)), made("p", { id: "saved", role: "status" }), other];
}

function end() {
  const thanks = plan.thanks ? paragraphs(plan.thanks) : [made("p", {}, say("Save the file, and give it to those who asked you."))];
  screen(made("h2", {}, say("Thank you")), ...thanks, ...saving());
}

/** The person stops early. */
function stop() {
  traces.pause();
  at("stop").hidden = true;
  screen(made("h2", {}, say("Stop here?")), made("p", {}, say("You can go on, now or later on this device. Or save what you did so far, or delete it.")),
    bar(button(say("Go on with the study"), "resume", showStep, "end")), ...saving());
}

function drop() {
  if (!confirm(say("Delete all that this device kept of the study?"))) return;
  traces.forget();
  localStorage.removeItem(kept.name);
  kept.data = { puzzles: {} };
  at("stop").hidden = at("progress").hidden = true;
  at("where").textContent = "";
  screen(made("h2", {}, say("Deleted")), made("p", {}, say("Nothing of it is kept on this device. You can close this page.")));
}

at("stop").onclick = stop;
at("go-on").onclick = () => { if (solved) next(); };
at("give-up").onclick = () => { if (confirm(say("Go on without having solved this puzzle?"))) next(); };
document.title = plan.title;
at("title").textContent = plan.title;
if (!person) ask();
else if (!agreed()) consent();
else showStep();
