// Requests to the workbench: each is answered by lines of JSON as they come.
// @ts-check

const TAB = sessionStorage.getItem("epcg:tab") || crypto.randomUUID();
sessionStorage.setItem("epcg:tab", TAB);

// Cookies go to every port of this machine, what is stored here to none.
const given = new URLSearchParams(location.search).get("token");
if (given) {
  localStorage.setItem("epcg:token", given);
  history.replaceState(null, "", location.pathname + location.hash);
}
const TOKEN = localStorage.getItem("epcg:token") ?? "";

let project = "";
/** Name the project that requests are about: the server refuses them when it has opened another. @param {string} id */
export function workIn(id) { project = id; }

/** @type {Promise<void> | null} While another project is opened: it ends only if that fails. */
let leaving = null;
/** @type {Set<AbortController>} What was asked and has no answer yet. */
const waiting = new Set();

/**
 * Open another project in place of this one; the page must be loaded again then. What else is asked meanwhile
 * would be refused, as the page was opened for this project, so it waits.
 * @param {object} request @returns {Promise<Answers["/project"]>}
 */
export async function openProject(request) {
  let stay = () => {};
  leaving = new Promise((resolve) => { stay = resolve; });
  for (const each of waiting) each.abort();
  try {
    return await one("/project", request);
  } catch (error) {
    leaving = null;
    stay();
    throw error;
  }
}

/**
 * Send what is asked, again if another project could not be opened meanwhile.
 * @param {string} name @param {object} request @param {AbortSignal} [signal] @returns {Promise<Response>}
 */
async function sent(name, request, signal) {
  const opens = name === "/project";
  for (;;) {
    if (leaving && !opens) await leaving;
    const own = new AbortController();
    if (!opens) waiting.add(own);
    try {
      return await fetch(name.startsWith("/") ? name : `/api/${name}`, {
        method: "POST",
        signal: signal ? AbortSignal.any([signal, own.signal]) : own.signal,
        headers: { "content-type": "application/json", "x-epcg-token": TOKEN, "x-epcg-project": project },
        body: JSON.stringify({ ...request, tab: TAB, tells: true }),
      });
    } catch (error) {
      if (signal?.aborted || !leaving || opens) throw error;
    } finally {
      waiting.delete(own);
    }
  }
}

/**
 * Ask by name or by path, and yield the messages of the answer.
 * @template {keyof Answers} K @param {K} name @param {object} request @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Answers[K], void>}
 */
export async function* ask(name, request = {}, signal) {
  let answer;
  try {
    answer = await sent(name, request, signal);
  } catch (error) {
    if (signal?.aborted) return;
    throw lost();
  }
  if (answer.status === 403) throw new Error(await answer.text());
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
    if (signal?.aborted) return;
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

/** The error of a server that does not answer. */
function lost() {
  return new Lost("The workbench does not answer: its server may have been ended. What you have here is kept; "
    + "start `epcg workbench` again and go on.");
}
class Lost extends Error {}

/** Whether an error is that of a server that does not answer. @param {unknown} error */
export const isLost = (error) => error instanceof Lost;

/** Return a message. Throws an error if it tells one. @param {{error?: string}} message @returns {unknown} */
function said(message) {
  if (message.error) throw new Error(message.error);
  return message;
}
