// The page of the workbench: documents, history, play and analysis, for any domain.
// @ts-check
import { EpcgBoard, drawMark, svg } from "./board.js";
import { ask, one } from "./api.js";
import { ArrangePage } from "./arrange.js";
import { AskPage } from "./ask.js";
import { ChangesPanel } from "./changes.js";
import { IntoDialog } from "./into.js";
import { Touches } from "./play.js";
import { ProjectPage } from "./project.js";
import { SketchPanel } from "./sketch.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
const SLOT = sessionStorage.getItem("epcg:slot") || String(Date.now());
sessionStorage.setItem("epcg:slot", SLOT);
const MOST_KEPT = 8, MOST_HISTORY = 500;

/** @type {any} */ let bench = null;
/** @type {any[]} */ let domains = [];
/** @type {any} */ let settings = {};
let mode = "edit";
/** @type {AbortController | null} */ let answering = null;
const compiled = new Set();

const board = /** @type {EpcgBoard} */ ($("board"));

/** Make an element. @param {string} name @param {Record<string, any>} attributes @param {any[]} children */
function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

function trouble(error) {
  $("trouble").textContent = error ? String(error.message ?? error) : "";
  $("trouble").hidden = !error;
}

/** Do something, and show a sentence if it fails. @param {() => any} what */
async function attempt(what) {
  busy(1);
  try { const found = await what(); trouble(null); return found; } catch (error) { trouble(error); return undefined; } finally { busy(-1); }
}

let pending = 0;
/** Count what is under way, so that helpers of people and tests know when the page is at rest. */
function busy(more) { pending += more; document.body.setAttribute("aria-busy", String(pending > 0)); }

// ---- start

async function begin() {
  settings = await (await fetch("/settings")).json();
  $("data").hidden = !settings.data;
  $("pages").append(...settings.pages.flatMap((page) => [" ", el("a", { href: page.address, title: page.summary }, page.title)]));
  domains = [];
  for await (const domain of ask("domains")) domains.push(domain);
  for (const { domain, title } of domains) $("paste-domain").append(el("option", { value: domain }, title));
  if (settings.project) await project.begin(settings.folder);
  if (settings.start && !location.hash.slice(2)) history.replaceState(null, "", `#${settings.start}`);
  else if (settings.project && !location.hash) history.replaceState(null, "", (await project.last()) || "#/");
  await follow();
}

/** Show one of the pages. @param {"start" | "bench" | "ask" | "curricula"} name */
function turn(name) {
  for (const each of ["start", "bench", "ask", "curricula"]) $(each).hidden = each !== name;
  $("modes").hidden = name !== "bench";
}

async function follow() {
  if (location.hash === "#ask") { stop(); turn("ask"); document.title = "Ask – EPCG workbench"; return asking.open(); }
  if (/^#curricula(\/|$)/.test(location.hash)) { stop(); turn("curricula"); return arranging.open(decodeURIComponent(location.hash.slice("#curricula/".length))); }
  if (location.hash.startsWith("#file/")) { turn("bench"); await attempt(() => project.follow(location.hash)); if (!bench) bare(); return; }
  const [, domain = "", ...rest] = location.hash.slice(1).split("/");
  const text = rest.join("/");
  if (!domain) return start();
  if (bench && bench.domain === decodeURIComponent(domain) && bench.text === decodeURIComponent(text)) return show();
  const opened = await attempt(() => (text ? one("open", { domain: decodeURIComponent(domain), text: decodeURIComponent(text) }) : one("new", { domain: decodeURIComponent(domain) })));
  if (opened) adopt(opened);
  else if (!bench) start();
}

async function start() {
  stop();
  turn("start");
  document.title = "EPCG workbench";
  const kept = sessions();
  $("last").hidden = !kept.length;
  $("last").querySelector("ul").replaceChildren(...kept.map((session) => el("li", {}, el("button", { onclick: () => open(session.domain, session.text) }, session.domain, el("br"), el("small", {}, new Date(session.at).toLocaleString())))));
  $("domains").replaceChildren();
  attempt(gallery);
  attempt(runList);
  for (const domain of domains) {
    const tiles = el("ul", { class: "tiles" });
    $("domains").append(el("section", { "data-domain": domain.domain }, el("h2", {}, domain.title), el("p", { class: "muted" }, `${domain.summary}; ${domain.editor}`), tiles));
    attempt(async () => {
      let palette = null;
      for await (const example of ask("examples", { domain: domain.domain })) {
        const picture = /** @type {EpcgBoard} */ (el("epcg-board"));
        tiles.append(el("li", {}, el("button", { "data-title": example.title, onclick: () => open(domain.domain, example.text) }, picture, example.title)));
        palette ??= (await one("open", { domain: domain.domain, text: example.text })).palette;
        picture.show(example.scene, palette);
        picture.querySelector("[tabindex]")?.removeAttribute("tabindex");
      }
    });
  }
}

/** The runs that this workbench has started, each followed to its end. */
async function runList() {
  const runs = await (await fetch("/runs")).json();
  $("runs").hidden = !runs.length;
  $("runs").querySelector("ul").replaceChildren(...runs.map((run) => {
    const where = el("span", {}, ...told(run));
    if (run.state === "running") track(ask(`/runs/${run.number}/follow`), where);
    return el("li", {}, el("b", {}, run.title), ": ", where);
  }));
}

/** The best of recorded runs, as pictures that open at the board. */
async function gallery() {
  const tiles = new Map();
  $("recorded").replaceChildren();
  for await (const found of ask("recorded")) {
    if (!tiles.has(found.run)) {
      tiles.set(found.run, el("ul", { class: "tiles" }));
      $("recorded").append(el("section", {}, el("h2", {}, `Kept by run ${found.run}`), tiles.get(found.run)));
    }
    const picture = /** @type {EpcgBoard} */ (el("epcg-board"));
    tiles.get(found.run).append(el("li", {}, el("button", { onclick: () => open(found.domain, found.text) }, picture)));
    picture.show(found.scene, found.palette);
  }
}

function open(domain, text) { return attempt(async () => adopt(await one("open", { domain, text }))); }

// ---- documents

/** Show the bench without a board, for a file without levels. */
function bare() { stop(); turn("bench"); $("bench").classList.add("bare"); $("modes").hidden = true; }

/** Make a content the document. @param {any} opened @param {boolean} [ofProject] whether it is a level of the open file */
function adopt(opened, ofProject = false) {
  $("bench").classList.remove("bare");
  $("share").hidden = false;
  if (!ofProject) project.pane.toggle(false);
  bench = { ...opened, ofProject, nodes: [], at: -1, mark: opened.palette.find((mark) => mark.name)?.name ?? "", locked: new Set(), measures: [], turned: new Set() };
  turn("bench");
  document.title = `${domainOf().title} – EPCG workbench`;
  for (const button of $("modes").children) if (button.dataset.mode === "play") button.disabled = !opened.playable;
  $("resize").hidden = !opened.resizable;
  choices();
  ruleBoxes();
  palette();
  sketch.reset();
  step(opened, "opened");
  setMode(mode === "play" && !opened.playable ? "edit" : mode);
}

const domainOf = () => domains.find((each) => each.domain === bench.domain);

/** Make a content the current one, as a step of the history. */
function step(message, label) {
  if (bench.at >= 0 && bench.nodes[bench.at].text === message.text) return show(message);
  bench.nodes.push({ text: message.text, scene: message.scene, label, parent: bench.at, child: -1 });
  if (bench.at >= 0) bench.nodes[bench.at].child = bench.nodes.length - 1;
  bench.at = bench.nodes.length - 1;
  if (bench.nodes.length > MOST_HISTORY) forget();
  show(message);
}

/** Drop the oldest step, which nothing but the history needs. */
function forget() {
  bench.nodes.shift();
  bench.at -= 1;
  for (const node of bench.nodes) { node.parent -= 1; node.child -= 1; }
}

function goTo(number) {
  if (number < 0 || number >= bench.nodes.length) return;
  const parent = bench.nodes[number].parent;
  if (parent >= 0) bench.nodes[parent].child = number;
  bench.at = number;
  show(bench.nodes[number]);
}
const undo = () => goTo(bench.nodes[bench.at].parent);
const redo = () => bench.nodes[bench.at].child > 0 && goTo(bench.nodes[bench.at].child);

function show(message = bench.nodes[bench.at]) {
  const changed = bench.text !== message.text || !bench.shown;
  bench.text = message.text; bench.scene = message.scene; bench.shown = true;
  turn("bench");
  const address = bench.ofProject ? project.address : `#/${encodeURIComponent(bench.domain)}/${encodeURIComponent(bench.text)}`;
  project.edited(bench.text);
  if (location.hash !== address) history.replaceState(null, "", address);
  stop();
  board.heat = new Map();
  board.locked = bench.locked;
  board.show(bench.scene, bench.palette);
  for (const other of document.querySelectorAll("#boards > :not(#board)")) other.remove();
  $("note").textContent = bench.scene.note;
  $("text").value = bench.text;
  $("undo").disabled = bench.nodes[bench.at].parent < 0;
  $("redo").disabled = bench.nodes[bench.at].child <= 0;
  size();
  historyList();
  keep();
  if (mode === "play") restart();
  if (changed) { changes.clear(); $("stands").replaceChildren(); answers(); }
}

function size() {
  const cells = bench.scene.sites.filter(([id]) => /^c\d+,\d+$/.test(id)).map(([id]) => id.slice(1).split(",").map(Number));
  if (!cells.length) return;
  $("columns").value = Math.max(...cells.map(([x]) => x));
  $("rows").value = Math.max(...cells.map(([, y]) => y));
}

function historyList() {
  $("history").replaceChildren(...bench.nodes.map((node, number) => el("li", {}, el("button", { "aria-current": number === bench.at, onclick: () => goTo(number) }, node.label, node.parent >= 0 && node.parent !== number - 1 ? ` (from step ${node.parent + 1})` : ""))));
}

function sessions() {
  try { return JSON.parse(localStorage.getItem("epcg:sessions") || "[]"); } catch { return []; }
}

/** Keep this tab's document in the browser, in a place of its own. */
function keep() {
  if (bench.ofProject) return; // the project keeps it
  const others = sessions().filter((session) => session.slot !== SLOT);
  const all = [{ slot: SLOT, domain: bench.domain, text: bench.text, at: Date.now() }, ...others];
  try { localStorage.setItem("epcg:sessions", JSON.stringify(all.slice(0, MOST_KEPT))); } catch { /* no room: the address keeps it */ }
}

// ---- editing

function palette() {
  const parts = [], hidden = new Set();
  let group = null;
  for (const first of [{ name: "", title: "empty", key: "Delete", kinds: [] }, ...bench.palette]) {
    if (hidden.has(first.name)) continue;
    const turns = turnsOf(first);
    for (const mark of turns) hidden.add(mark.name);
    const mark = turns.find((each) => each.name === bench.mark) ?? turns.find((each) => bench.turned.has(each.name)) ?? first;
    if ((mark.group ?? "") !== (group ?? "") && mark.group) parts.push(el("h3", {}, mark.group));
    group = mark.group ?? "";
    const picture = mark.name ? markPicture(mark) : "";
    const keys = [first.key, turns.length > 1 ? "R turns" : ""].filter(Boolean);
    parts.push(el("button", { role: "radio", "data-mark": mark.name, "aria-checked": String(mark.name === bench.mark), onclick: () => choose(mark.name) }, picture, mark.title || mark.name, ...keys.map((key) => el("kbd", {}, key))));
  }
  $("palette").replaceChildren(...parts);
}

/** What a mark looks like. @param {any} mark */
function markPicture(mark) {
  const kind = mark.kinds.includes("cell") ? "cell" : mark.kinds[0];
  const points = { cell: [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], edge: [[-0.4, 0], [0.4, 0]], vertex: [[0, 0]] }[kind];
  return svg("svg", { viewBox: "-0.6 -0.6 1.2 1.2", "aria-hidden": "true" }, drawMark(mark, kind, points, true));
}

/** A mark with all that it becomes when it is turned. */
function turnsOf(first) {
  const found = [first];
  for (;;) {
    const next = bench.palette.find((mark) => mark.name && mark.name === found.at(-1).turned);
    if (!next || found.includes(next)) return found;
    found.push(next);
  }
}

function choose(name) {
  const mark = bench.palette.find((each) => each.name === name);
  if (mark) { for (const each of turnsOf(mark)) bench.turned.delete(each.name); bench.turned.add(name); }
  bench.mark = name;
  palette();
}

async function paint(sites, mark) {
  const free = sites.filter((site) => !bench.locked.has(site));
  if (!free.length) return trouble(new Error("This place is locked: L unlocks it."));
  const title = bench.palette.find((each) => each.name === mark)?.title || mark || "empty";
  const before = bench.text;
  await attempt(async () => {
    const message = await one("put", { domain: bench.domain, text: before, sites: [...new Set(free)], mark });
    if (bench.text === before) step(message, `${title}${free.length > 1 ? ` on ${new Set(free).size} places` : ""}`);
  });
}

let waiting = Promise.resolve();
board.addEventListener("board-stroke", (event) => {
  const { sites, erase } = event.detail;
  if (mode === "play") return hand.stroke(sites);
  if (mode === "sketch") return sketch.stroke(sites, erase);
  if (mode === "analyse" && !erase) return changes.atSite(sites.at(-1));
  waiting = waiting.then(() => paint(sites, erase ? "" : bench.mark));
});
board.addEventListener("board-arrow", (event) => { if (mode === "play" && hand.key(event.detail.key)) event.preventDefault(); });
board.addEventListener("board-cursor", (event) => { $("note").textContent = event.detail.words; });
board.addEventListener("board-hover", (event) => {
  const { site } = event.detail;
  $("under").textContent = site ? [board.words(site), board.heat.get(site)?.title].filter(Boolean).join(" – ") : "";
});
board.addEventListener("board-letter", (event) => {
  const { key, site } = event.detail;
  if (mode !== "edit") return;
  const own = bench.palette.find((mark) => mark.key && mark.key === key);
  if (own) return choose(own.name);
  if (key === "l" || key === "L") return lock(site);
  if (key === "p" || key === "P") return choose(bench.scene.marks[site]?.at(-1) ?? "");
  if (key === "r" || key === "R") { const turned = bench.palette.find((mark) => mark.name === bench.mark)?.turned; if (turned) choose(turned); }
});

function lock(site) {
  if (bench.locked.has(site)) bench.locked.delete(site); else bench.locked.add(site);
  board.lock(bench.locked);
  $("note").textContent = `${board.title_(site)}: ${bench.locked.has(site) ? "locked" : "unlocked"}`;
}

document.addEventListener("keydown", (event) => {
  if (!bench || $("bench").hidden || event.target instanceof HTMLTextAreaElement) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.shiftKey) { event.preventDefault(); undo(); }
  else if ((event.ctrlKey || event.metaKey) && (event.key.toLowerCase() === "y" || (event.shiftKey && event.key.toLowerCase() === "z"))) { event.preventDefault(); redo(); }
});

function download(name, data, type) {
  const address = URL.createObjectURL(new Blob([data], { type }));
  const link = el("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function png() {
  const { text, width, height } = board.picture();
  const image = new Image();
  image.src = `data:image/svg+xml;base64,${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width; canvas.height = 2 * height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && download(`${bench.domain}.png`, blob, "image/png"));
}

async function copied(text, what) {
  try { await navigator.clipboard.writeText(text); $("note").textContent = `${what} copied.`; } catch { trouble(new Error("The browser does not allow copying here: mark the text below and copy it.")); }
}

$("undo").onclick = undo; $("redo").onclick = redo;
$("apply-size").onclick = () => attempt(async () => step(await one("resize", { domain: bench.domain, text: bench.text, columns: Number($("columns").value), rows: Number($("rows").value) }), "resized"));
$("copy").onclick = () => copied(bench.text, "Text");
$("share").onclick = () => copied(location.href, "Address");
$("save").onclick = () => download(`${bench.domain}.txt`, bench.text, "text/plain");
$("svg").onclick = () => download(`${bench.domain}.svg`, board.picture().text, "image/svg+xml");
$("png").onclick = () => attempt(png);
$("read-text").onclick = () => attempt(async () => {
  const opened = await one("open", { domain: bench.domain, text: $("text").value });
  bench.palette = opened.palette; bench.turned = new Set(); palette(); step(opened, "text");
});

// ---- answers

async function answers() {
  answering?.abort();
  const own = (answering = new AbortController());
  const { domain, text, hash } = { ...bench, hash: undefined };
  bench.measures = [];
  /** @type {Map<string, any>} */ const rows = new Map();
  const take = (message, plain) => {
    if (own.signal.aborted || bench.text !== text || message.end || !message.evaluator) return;
    if (plain && rows.has(message.evaluator)) return;
    rows.set(message.evaluator, message);
    offer(message.evaluator, message.left_out);
    bench.measures = [...rows.values()];
    $("compiling").hidden = !plain;
    measureTable();
  };
  const ways = [false, ...(compiled.has(domain) ? [] : [true])].map(async (plain) => {
    for await (const message of ask("measures", { domain, text, plain, rules: rules(), lane: plain ? "plain" : "own" }, own.signal)) {
      if (plain && compiled.has(domain)) return;
      take(message, plain);
      if (message.end && !plain) { compiled.add(domain); $("compiling").hidden = true; }
    }
  });
  await attempt(() => Promise.all(ways));
}

/** The rules that are ticked; undefined if they are the usual ones. */
function rules() {
  const boxes = [...document.querySelectorAll("#rules input")];
  return boxes.every((box) => box.checked === box.defaultChecked) ? undefined : boxes.filter((box) => box.checked).map((box) => box.value);
}

function ruleBoxes() {
  const all = domainOf().rules;
  $("rules-part").hidden = !all.length;
  $("rules").replaceChildren(...all.map((rule) => el("li", {}, el("label", {}, el("input", { type: "checkbox", value: rule.name, checked: rule.known, onchange: () => { changes.clear(); answers(); } }), ` ${rule.summary}`))));
}

/** Offer the measures of an evaluator for analyses, or say why it has none. @param {string} evaluator @param {string} [reason] */
function offer(evaluator, reason) {
  for (const form of [changes.wish, sketch.wish]) form.refuse(evaluator, reason);
  for (const option of document.querySelectorAll("#metric2 option")) {
    if (option.value.split("/")[0] !== evaluator) continue;
    option.disabled = Boolean(reason);
    option.title = reason ?? option.title;
  }
}

function measureTable() {
  const hidden = $("blind").checked;
  const order = domainOf().evaluators.map((evaluator) => evaluator.name);
  const sorted = [...bench.measures].sort((a, b) => order.indexOf(a.evaluator) - order.indexOf(b.evaluator));
  $("measures").tBodies[0].replaceChildren(...inOrder(sorted.flatMap(({ metrics }) => metrics), hidden));
}

function shown(value, reason = "") {
  if (value === null || value === undefined) return reason || "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
}
$("blind").onchange = () => { measureTable(); if ($("blind").checked) board.colour(new Map()); };

/** Whether those measures are shown that are not headlines. */
let allMeasures = false;

/** Rows of measures: those first that people ask for first, the others folded. @param {any[]} metrics @param {boolean} hidden */
function inOrder(metrics, hidden) {
  const row = (metric) => el("tr", { "data-metric": metric.metric, title: metric.metric },
    el("td", {}, metric.title, el("span", { class: "muted" }, metric.description)),
    el("td", { class: metric.value === null ? "value why" : "value" }, hidden ? "…" : shown(metric.value, metric.reason)));
  const first = metrics.filter((metric) => metric.headline).sort((a, b) => a.headline - b.headline);
  const others = metrics.filter((metric) => !metric.headline);
  if (!first.length || others.length < 3) return [...first, ...others].map(row);
  const rows = others.map(row);
  for (const each of rows) each.hidden = !allMeasures;
  const word = allMeasures ? "Fewer measures" : `${others.length} more measures`;
  const turn = () => { allMeasures = !allMeasures; measureTable(); };
  const more = el("tr", {}, el("td", { colspan: "2" }, el("button", { class: "link", onclick: turn }, word)));
  return [...first.map(row), more, ...rows];
}

function ownValue(metric) {
  for (const { metrics } of bench.measures) for (const each of metrics) if (each.metric === metric) return each;
  return null;
}

// ---- analysis

function choices() {
  const measures = domainOf().evaluators.flatMap((evaluator) => evaluator.metrics.map((metric) => ({ ...metric, evaluator: evaluator.name })));
  changes.begin(measures);
  sketch.begin(measures);
}

const stop = () => changes.stop();
const question = () => { const [evaluator, metric] = changes.wish.choice.split("/"); return { domain: bench.domain, text: bench.text, evaluator, metric, rules: rules() }; };

/** Start a run and follow it in an element. @param {Record<string, any>} request @param {HTMLElement} where */
async function record(request, where) {
  trouble(null);
  where.textContent = "Starting.";
  return track(ask("/record", request), where);
}

/** Show the states of a run as they come: it goes on by itself, so the page is not busy. */
async function track(states, where) {
  let last = null;
  try { for await (const message of states) where.replaceChildren(...told((last = message))); } catch (error) { where.textContent = ""; trouble(error); }
  return last;
}

/** A run's state in words, with a button that stops it. */
function told({ number, state, progress, runs, error, says }) {
  const left = progress.eta_s ? `, about ${seconds(progress.eta_s)} left` : "";
  if (state === "running") return [progress.total ? `${says ? "Working" : "Recording"}: ${progress.done.toLocaleString("en")} of ${progress.total.toLocaleString("en")} ${progress.unit}${left}. ` : says ? "Working. " : "Recording: starting. ", el("button", { onclick: () => attempt(() => one(`/runs/${number}/stop`)) }, "Stop the run")];
  if (state === "finished" && says) return [says];
  if (state === "finished") return [`Recorded as run ${runs.join(", ")} of ${settings.db}.`];
  if (state === "stopped") return ["Stopped. What is recorded stays; recording it again goes on from there."];
  return [error];
}
/** Say what runs would take together: time with its range if that is wide, disk, memory, and what cannot be told. */
function price(found, opening = "about") {
  const [low, high] = found.between, range = high > 2 * found.seconds || 2 * low < found.seconds ? ` (${seconds(low)} to ${seconds(high)})` : "";
  const memory = found.memory ? ` and ${bytes(Number(found.memory))} of memory` : "";
  const known = found.known ? `${opening} ${seconds(found.seconds)} of one processor${range}, ${bytes(Number(found.bytes))} on disk${memory}.` : "";
  return found.unknown ? `${known} ${found.known ? "Time and size of other runs" : "Time and size"} cannot be told before: ${found.unknown}.`.trim() : known;
}
function seconds(number) { return number < 100 ? `${Math.ceil(number)} s` : number < 6000 ? `${Math.round(number / 60)} minutes` : number < 172800 ? `${Math.round(number / 3600)} hours` : `${Math.round(number / 86400).toLocaleString("en")} days`; }
function bytes(number) { for (const unit of ["bytes", "kB", "MB", "GB"]) { if (number < 1000) return `${Math.round(number)} ${unit}`; number /= 1000; } return `${Math.round(number).toLocaleString("en")} TB`; }

$("share").onclick = () => {
  const file = bench.ofProject ? project.file : "";
  $("shared").hidden = false;
  void record({ job: "share", domain: bench.domain, text: bench.text, file }, $("shared"));
};
$("standing").onclick = () => attempt(async () => {
  const found = await one("standing", { domain: bench.domain, text: bench.text });
  const rows = found.measures.flatMap((measure) => measure.standings.map((at) => el("tr", {}, el("td", {}, measure.metric.replaceAll("_", " ")), el("td", { class: "value" }, shown(measure.value)), el("td", {}, place(at)))));
  if (!found.space) return $("stands").replaceChildren(el("p", { class: "muted" }, "No generator makes this content, so it has no place among others. Its changes have one: Record as a run."));
  $("stands").replaceChildren(rows.length ? el("table", {}, el("tbody", {}, ...rows)) : el("p", { class: "muted" }, `No run in ${settings.db} has these measures. This content is rank ${found.rank} of `, spaceName(found.space), "."));
  if (!found.measures.some(({ metric, standings }) => metric === question().metric && standings.length)) await cost();
});
/** Say how many candidates of a run have lower, equal and higher values, and which candidates these are. */
function place(at) {
  const counts = [at.lower, at.equal, at.higher].map((count, i) => `${count.toLocaleString("en")} ${["lower", "equal", "higher"][i]}${at.shares.length ? ` (${shown(at.shares[i])} %)` : ""}`);
  return `${counts.join(", ")}; of ${at.valued.toLocaleString("en")} candidates of run ${at.run} (${at.generator})${at.among ? `, ${at.among}` : ""}`;
}
const spaceName = (name) => el("span", { title: name }, name.split("?")[0]);

/** Say what it would cost to record the space that a content stands in, for the chosen measure, with a button. */
async function cost() {
  const asked = question();
  const found = await one("space", asked);
  const candidates = `${Number(found.remaining).toLocaleString("en")} candidates`;
  const where = el("p", { "aria-live": "polite", id: "whole" });
  $("stands").append(el("p", {}, `No run has ${asked.metric.replaceAll("_", " ")} of all of `, spaceName(found.space), `: ${candidates}. ${price(found, "It takes about")} `, el("button", { id: "record-whole", onclick: () => record({ ...asked, job: "space" }, where) }, "Record all of it")), where);
}

// ---- play

async function restart() { bench.taken = []; await position(); }

async function position() {
  const { taken } = bench;
  const message = await attempt(() => one("play", { domain: bench.domain, text: bench.text, taken, warn: $("warn").checked }));
  if (!message || bench.taken !== taken) return;
  bench.actions = hand.actions = message.actions; hand.reset(); bench.solved = message.solved; bench.dead = message.dead ?? [];
  board.heat = new Map();
  board.show(message.scene, bench.palette);
  const lost = message.dead?.length && message.dead.every((verdict) => verdict === true);
  $("play-state").textContent = message.solved ? `Solved in ${moves(taken.length)}.` : `${moves(taken.length)}. ${!message.actions.length ? "There is no move left." : lost ? "Nothing can be won from here." : ""} ${message.scene.note}`;
  $("actions").replaceChildren(...message.actions.map((action, number) => el("li", { class: bench.dead[number] ? "dead" : "" }, el("button", { onclick: () => take(number) }, action.text), bench.dead[number] ? " – loses" : "")));
}

const moves = (number) => `${number} ${number === 1 ? "move" : "moves"}`;

async function take(number) { $("note").textContent = ""; bench.taken = [...bench.taken, number]; await position(); }

const hand = new Touches(board, take, (sentence) => { $("note").textContent = sentence; });

$("play-undo").onclick = () => { if (bench.taken.length) { bench.taken = bench.taken.slice(0, -1); position(); } };
$("restart").onclick = restart;
$("warn").onchange = position;
$("hint").onclick = () => attempt(async () => {
  const found = await one("solve", { domain: bench.domain, text: bench.text, taken: bench.taken });
  $("note").textContent = found.solution === null ? `From here: ${found.reason}.` : found.solution.length ? `Try: ${bench.actions[found.solution[0]].text}.` : "It is solved.";
});
$("show-solution").onclick = () => attempt(async () => {
  const found = await one("solve", { domain: bench.domain, text: bench.text, taken: [] });
  if (found.solution === null) { $("play-state").textContent = `${found.reason[0].toUpperCase()}${found.reason.slice(1)}, ${found.expansions.toLocaleString("en")} ${found.expansions === 1 ? "position" : "positions"}.`; return; }
  bench.solution = found.solution;
  $("slider-part").hidden = false;
  $("slider").max = String(found.solution.length); $("slider").value = "0";
  slide();
});
function slide() { const at = Number($("slider").value); $("slider-at").textContent = `${at} of ${bench.solution.length}`; bench.taken = bench.solution.slice(0, at); position(); }
$("slider").oninput = slide;

function setMode(name) {
  mode = name;
  for (const button of $("modes").children) button.setAttribute("aria-pressed", String(button.dataset.mode === name));
  for (const part of document.querySelectorAll("[data-in]")) part.hidden = !part.dataset.in.split(" ").includes(name);
  $("slider-part").hidden = true;
  $("note").textContent = bench.scene.note;
  board.leaveOpen(new Set());
  board.heat = new Map();
  if (name === "play") restart();
  else { board.show(bench.scene, bench.palette); board.leaveOpen(name === "sketch" ? new Set(sketch.open.keys()) : new Set()); if (name === "analyse" && changes.seen?.text === bench.text) changes.heat(changes.seen, board); }
}
$("modes").onclick = (event) => event.target.dataset?.mode && setMode(event.target.dataset.mode);

// ---- changes, sketches and questions

const changes = new ChangesPanel({ board, el, attempt, trouble, record, question, shown, step, bench: () => bench });


const sketch = new SketchPanel({
  board, el, attempt, trouble, record, question, price, shown, picture: markPicture, bench: () => bench,
  into: (puzzle, measure) => into.open(puzzle, measure),
  adoptText: (text, label) => attempt(async () => { step(await one("open", { domain: bench.domain, text }), label); setMode("edit"); }),
});

const asking = new AskPage({
  el, attempt, trouble, record, price, shown, copied,
  adoptPuzzle, into: (puzzle, measure) => into.open(puzzle, measure),
});

const project = new ProjectPage({
  el, attempt, trouble, bare, bench: () => bench,
  adopt: (opened) => adopt(opened, true),
  put: (opened) => { bench.palette = opened.palette; bench.turned = new Set(); palette(); step(opened, "text"); },
  note: (sentence) => { $("note").textContent = sentence; },
});
const arranging = new ArrangePage({ el, attempt, trouble, record, track, shown, adoptPuzzle, domains: () => domains });
const into = new IntoDialog({ el });
function adoptPuzzle(puzzle, as = mode) { return attempt(async () => { const opened = await one("puzzle", { puzzle }); mode = as; adopt(opened); }); }
$("bench-into").onclick = () => into.open({ domain: bench.domain, text: bench.text }, question().metric);

// ---- opening

async function openText(text) {
  const domain = $("paste-domain").value;
  await attempt(async () => adopt(await one("open", { text, ...(domain ? { domain } : {}) })));
}
async function openFile(file) {
  if (file.size > 100_000) return trouble(new Error(`${file.name} has ${file.size.toLocaleString("en")} bytes; a content has at most 100,000.`));
  const text = await file.text();
  if (text.includes("\u0000") || text.includes("\ufffd")) return trouble(new Error(`${file.name} is not a text.`));
  return openText(text);
}
$("open-paste").onclick = () => openText($("paste").value);
$("file").onchange = () => $("file").files[0] && openFile($("file").files[0]);
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => { event.preventDefault(); const file = event.dataTransfer?.files[0]; if (file) openFile(file); });
addEventListener("hashchange", follow);

attempt(begin);
