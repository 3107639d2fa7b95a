// Where one is: the address of a page, file, level or content, and the tab, so that *back* leads to the former one.
// @ts-check

/** The tab that is open, which an entry of the browser's history remembers. */
let tab = "edit";
/** How many addresses are being followed: what is opened meanwhile stands in the entry that led there. */
let follows = 0, newest = 0;
/** @type {Promise<void>} What is followed now. */ let before = Promise.resolve();

/** What is one place: all contents that drawing makes of one another are. @param {string} address */
const placeOf = (address) => (/^#\/[^/]+\//.test(address) ? "content" : address);

/** The file or the kind of content of an address, or its page. @param {string} address */
const sortOf = (address) => address.split("/", 2).join("/");

/**
 * Write where one is into the address: as a new entry if it is another place, else in place of the old one.
 * @param {string} address @param {boolean} [isOther] whether it is another content
 */
export function write(address, isOther = false) {
  if (location.hash === address) return;
  if (follows && location.hash && sortOf(location.hash) !== sortOf(address)) return; // one has gone on meanwhile
  const isNew = !follows && location.hash && (isOther || placeOf(location.hash) !== placeOf(address));
  if (isNew) history.pushState({ tab }, "", address);
  else history.replaceState({ tab }, "", address);
}

/**
 * Go to an address because somebody pressed something, though another may still be followed.
 * @param {string} address
 */
export function went(address) { if (location.hash !== address) history.pushState({ tab }, "", address); }

/**
 * Follow an address, after what is being followed; only the last of those that wait is. Nothing that is opened
 * on the way becomes an entry of its own.
 * @param {() => unknown} what
 */
export function following(what) {
  const own = (newest += 1);
  const run = before.then(async () => {
    if (own !== newest) return;
    follows += 1;
    try { await what(); } finally { follows -= 1; }
  });
  before = run.catch(() => {});
  return run;
}

/** Remember a tab; one that is pressed is a new entry. @param {string} name @param {boolean} isPressed */
export function turned(name, isPressed) {
  const isNew = isPressed && name !== tab && !follows;
  tab = name;
  if (isNew) history.pushState({ tab }, "");
  else history.replaceState({ tab }, "");
}

/** Be told of the tab of an entry that one goes back or forward to. @param {(tab: string) => void} told */
export function onReturn(told) {
  addEventListener("popstate", (event) => { if (event.state?.tab) told(event.state.tab); });
}
