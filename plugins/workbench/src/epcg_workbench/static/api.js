// Requests to the workbench: each is answered by lines of JSON as they come. The address of the page names its
// project, and requests go to what lies below it.
// @ts-check

/** This page, of which the latest analysis wins. */
const TAB = crypto.randomUUID();
const KEPT = "epcg:token", GOES_ON = "This page then goes on by itself.";

// Cookies go to every port of this machine, what is stored here to none.
const given = new URLSearchParams(location.search).get("token");
if (given) {
  localStorage.setItem(KEPT, given);
  history.replaceState(history.state, "", location.pathname + location.hash);
}
/** The key of the user, which another tab may have got meanwhile. */
const headers = () => ({ "content-type": "application/json", "x-epcg-token": localStorage.getItem(KEPT) ?? "" });

/** Throw an error if a server does not know the user, or the project of this page. @param {Response} answer */
async function known(answer) {
  if (answer.status === 403) throw lost(await answer.text(), GOES_ON);
  if (answer.status === 410) throw lost((await answer.json()).error, GOES_ON);
}

/** What a place below the address of the page tells. @param {"settings" | "runs"} name */
export async function read(name) {
  let answer;
  try {
    answer = await fetch(`./${name}`, { headers: headers() });
  } catch {
    throw lost();
  }
  await known(answer);
  return answer.json().catch(() => { throw lost(); }); // another program may listen there
}

/**
 * Ask by name or by path, and yield the messages of the answer.
 * @template {keyof Answers} K @param {K} name @param {object} request @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Answers[K], void>}
 */
export async function* ask(name, request = {}, signal) {
  const stopper = new AbortController(), ended = hearsWait(name, () => stopper.abort());
  try {
    yield* answered(name, request, AbortSignal.any(signal ? [signal, stopper.signal] : [stopper.signal]));
  } finally {
    ended();
  }
  if (stopper.signal.aborted) throw new Error("Stopped, as you wished.");
}

/** @template {keyof Answers} K @param {K} name @param {object} request @param {AbortSignal} signal
 * @returns {AsyncGenerator<Answers[K], void>} */
async function* answered(name, request, signal) {
  let answer;
  try {
    answer = await fetch(name.startsWith("/") ? `.${name}` : `./api/${name}`, {
      method: "POST",
      signal,
      headers: headers(),
      body: JSON.stringify({ ...request, tab: TAB, tells: true }),
    });
  } catch (error) {
    if (signal.aborted) return;
    throw lost();
  }
  await known(answer);
  if (!answer.body) return;
  const reader = answer.body.getReader(), decoder = new TextDecoder(), own = {};
  /** @param {string} line */
  function* read(line) {
    const message = JSON.parse(line);
    if (message.compiling) tellOf(own, true);
    else yield /** @type {Answers[K]} */ (said(message));
  }
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line) yield* read(line);
    }
    if (rest.trim()) yield* read(rest);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof TypeError ? lost() : error;
  } finally {
    tellOf(own, false);
    reader.cancel().catch(() => {});
  }
}

/** @type {Set<object>} Requests whose answers wait for code to be compiled. */
const compiling = new Set();
let hears = (/** @type {boolean} */ _) => {};

/** Have a page say while code is being compiled. @param {(isCompiling: boolean) => void} hearer */
export function whileCompiling(hearer) { hears = hearer; }

/** @param {object} request @param {boolean} waits */
function tellOf(request, waits) {
  if (waits) compiling.add(request); else if (!compiling.delete(request)) return;
  hears(compiling.size > 0);
}

/**
 * Ask for one message.
 * @template {keyof Answers} K @param {K} name @param {object} request @returns {Promise<Answers[K]>}
 */
export async function one(name, request = {}) {
  for await (const message of ask(name, request)) return message;
  throw new Error("The workbench gave no answer.");
}

/** @type {(name: string, stop: () => void) => () => void} */
let hearsWait = () => () => {};

/** Have a page hear what is asked for, with what stops it; what the hearer returns is called when it is answered.
 * @param {typeof hearsWait} hearer */
export function whileAsked(hearer) { hearsWait = hearer; }

let hearsLost = (/** @type {Error} */ _) => {};

/** Have a page hear that the server does not answer. @param {(error: Error) => void} hearer */
export function whenLost(hearer) { hearsLost = hearer; }

/**
 * The error of a server that does not answer, or does not know this page.
 * @param {string} [why] @param {string} [how] what one can do
 */
function lost(why = "The workbench does not answer: its server has ended, or is being started again.", how = "") {
  const port = location.port ? ` --port ${location.port}` : "";
  const again = `This page goes on by itself as soon as you run: epcg workbench${port}`;
  const error = new Lost(`${why} What you have here is kept. ${how || again}`);
  hearsLost(error);
  return error;
}
class Lost extends Error {}

/** Whether an error is that of a server that does not answer. @param {unknown} error */
export const isLost = (error) => error instanceof Lost;

/** Return a message. Throws an error if it tells one. @param {{error?: string}} message @returns {unknown} */
function said(message) {
  if (message.error) throw new Error(message.error);
  return message;
}
