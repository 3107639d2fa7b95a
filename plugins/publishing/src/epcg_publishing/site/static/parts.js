// The play of a puzzle part by part, from the tables that `epcg_publishing.play_parts` writes. A position is the
// number of the value of each part, so every position that one can come to is known.
// @ts-check

export class PlayParts {
  /** @param {PartTables} tables */
  constructor(tables) {
    this.tables = tables;
    this.complete = true;
    this.size = tables.positions;
    /** @type {number[]} */ this.start = tables.parts.map(() => 0);
  }

  /** @param {number[]} here */
  solved(here) { return this.tables.goals.some((goal) => here.every((value, part) => goal[part].includes(value))); }

  known() { return true; }

  /** The actions of a position, each with the position `to` which it leads. @param {number[]} here */
  actions(here) {
    if (this.solved(here)) return [];
    const { gestures, parts, sites } = this.tables;
    return here.flatMap((value, part) => parts[part][value][1].map(([gesture, to]) => {
      const [touched, keys, text] = gestures[gesture];
      return { sites: touched.map((site) => sites[site][0]), keys, text, to: here.map((own, at) => (at === part ? to : own)) };
    }));
  }

  /** How a position looks. @param {number[]} here */
  scene(here) {
    const { marks, parts, scene, sites } = this.tables, shown = { ...scene.marks };
    here.forEach((value, part) => {
      for (const [site, own] of parts[part][value][0]) {
        if (own) shown[sites[site][0]] = marks[own]; else delete shown[sites[site][0]];
      }
    });
    return { sites, marks: shown, paths: scene.paths, note: scene.note };
  }

  /** The way of a part from a value to one that a goal has: its actions, by their numbers in the part.
   * @param {number} part @param {number} value @param {number[]} wanted */
  #way(part, value, wanted) {
    const values = this.tables.parts[part];
    /** @type {Map<number, number[]>} */ const ways = new Map([[value, []]]);
    for (const [at, way] of ways) {
      if (wanted.includes(at)) return way;
      values[at][1].forEach(([, to], action) => { if (!ways.has(to)) ways.set(to, [...way, action]); });
    }
    return null;
  }

  /** The goal that the fewest actions lead to, with the way of each part. @param {number[]} here */
  #nearest(here) {
    let found = null;
    for (const [goal, wanted] of this.tables.goals.entries()) {
      const ways = here.map((value, part) => this.#way(part, value, wanted[part]));
      if (!ways.every((way) => way !== null)) continue;
      const length = ways.reduce((sum, way) => sum + way.length, 0);
      if (!found || length < found.length) found = { goal, ways, length };
    }
    return found;
  }

  /** The actions to the nearest goal; -2 if there is none. @param {number[]} here */
  distance(here) { return this.#nearest(here)?.length ?? -2; }

  /** What may be tried next: what is wrong first, then the solution's next action. @param {number[]} here */
  hint(here) {
    const near = this.#nearest(here), { goal, hints, parts, words } = this.tables;
    if (!near || !near.length) return null;
    const open = (/** @type {number} */ part) => near.ways[part].length > 0;
    const wrong = here.findIndex((value, part) => value > 0 && open(part));
    const next = near.goal === goal ? hints.find(([part]) => open(part)) : undefined;
    const part = wrong >= 0 ? wrong : next?.[0] ?? near.ways.findIndex((way) => way.length);
    const why = wrong >= 0 ? parts[wrong][here[wrong]][2] : next?.[1] ?? 0;
    const before = here.slice(0, part).reduce((sum, value, at) => sum + parts[at][value][1].length, 0);
    return { number: before + near.ways[part][0], why: words[why] };
  }

  /** The action that leads nearest to a goal; -1 if none does. @param {number[]} here */
  best(here) { return this.hint(here)?.number ?? -1; }
}
