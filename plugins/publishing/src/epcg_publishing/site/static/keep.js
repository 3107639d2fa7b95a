// What the player has done, kept on the device if it allows it.
// @ts-check

export class Kept {
  /** @param {string} name */
  constructor(name) {
    this.name = `epcg:play:${name}`;
    this.works = true;
    /** @type {{puzzles: Record<string, {solved?: boolean, best?: number, taken?: number[]}>, warn?: boolean, at?: number, test?: import("./traces.js").Test, study?: StudyState}} */ this.data = { puzzles: {} };
    this.read();
  }

  /** Keep what is done under another name from now on. @param {string} name */
  use(name) { this.name = `epcg:play:${name}`; this.data = { puzzles: {} }; this.read(); }

  read() {
    try {
      const found = JSON.parse(localStorage.getItem(this.name) || "{}");
      if (found && typeof found === "object" && found.puzzles && typeof found.puzzles === "object") this.data = found;
    } catch (error) { if (!(error instanceof SyntaxError)) this.works = false; }
  }

  write() { try { localStorage.setItem(this.name, JSON.stringify(this.data)); } catch { this.works = false; } }

  /** @param {string} key */
  of(key) {
    const found = Object.hasOwn(this.data.puzzles, key) ? this.data.puzzles[key] : null;
    return found && typeof found === "object" ? found : {};
  }

  /** @param {string} key @param {object} change */
  change(key, change) { this.data.puzzles[key] = { ...this.of(key), ...change }; this.write(); }

  forget() { this.data = { puzzles: {}, ...(this.data.test ? { test: this.data.test } : {}) }; this.write(); }
}

/** Let the pages be installed and work without network, where they are served. @param {Document} page */
export function installable(page) {
  if (location.protocol !== "https:" && location.protocol !== "http:") return;
  const link = page.createElement("link");
  link.rel = "manifest"; link.href = "manifest.webmanifest";
  page.head.append(link);
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("worker.js").catch(() => { /* it plays without */ });
}
