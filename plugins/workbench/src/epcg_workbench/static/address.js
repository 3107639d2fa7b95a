// Where one is: the address of a page, file, level or content, and the tab, so that *back* leads to the former one.
// @ts-check

/** The tab that is open, which an entry of the browser's history remembers. */
let tab = "edit";
/** How many addresses are being followed: what is opened meanwhile stands in the entry that led there. */
let follows = 0;

/** What is one place: all contents that drawing makes of one another are. @param {string} address */
const placeOf = (address) => (/^#\/[^/]+\//.test(address) ? "content" : address);

/**
 * Write where one is into the address: as a new entry if it is another place, else in place of the old one.
 * @param {string} address @param {boolean} [isOther] whether it is another content
 */
export function write(address, isOther = false) {
  if (location.hash === address) return;
  const isNew = !follows && location.hash && (isOther || placeOf(location.hash) !== placeOf(address));
  if (isNew) history.pushState({ tab }, "", address);
  else history.replaceState({ tab }, "", address);
}

/** Follow an address; nothing that is opened on the way becomes an entry of its own. @param {() => any} what */
export async function following(what) {
  follows += 1;
  try { return await what(); } finally { follows -= 1; }
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
