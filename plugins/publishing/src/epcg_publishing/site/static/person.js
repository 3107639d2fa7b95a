// Who takes part in the study of the page, and what this person gets.
// @ts-check

/** What `epcg_publishing.study.laid` writes. @type {StudyPlan} */
export const plan = JSON.parse(document.getElementById("plan")?.textContent ?? "{}");

/** A number or code as it counts, so that 017 and 17 are one person; "" if it is neither. @param {string} text */
export function personOf(text) {
  const code = text.trim();
  if (/^[0-9]{1,15}$/.test(code)) return String(Number(code));
  return /^[A-Za-z0-9_-]{1,40}$/.test(code) ? code : "";
}

/** The row of the plan's table that a person gets; `row_of` of epcg_research does the same. @param {string} person */
export function rowOf(person) {
  const count = plan.rows.length;
  if (/^[0-9]{1,15}$/.test(person)) return (Number(person) + count - 1) % count;
  let hash = 0x811c9dc5; // FNV-1a of 32 bits
  for (const letter of person) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  return hash % count;
}

const asked = new URLSearchParams(location.search).get("p");
export const person = personOf(asked ?? "");
/** Whether the address names a person in a way that cannot be one. */
export const misnamed = asked !== null && !person;
if (person) document.body.dataset.name = `study:${plan.digest.slice(0, 16)}:${person}`;

/** Nine digits by chance. */
export const drawn = () => String(1 + (crypto.getRandomValues(new Uint32Array(1))[0] % 999999999));

/** All that a person does, in order. @param {number} row */
export function stepsOf(row) {
  const [group, dealt] = plan.rows[row];
  const about = (/** @type {string} */ when, training = false) => plan.questions.some((each) => each.when === when && (!training || each.training));
  /** @type {StudyStep[]} */ const steps = [];
  if (about("begin")) steps.push({ does: "ask", when: "begin", about: "", puzzles: [] });
  steps.push({ does: "read" });
  /** @param {number} puzzle @param {Tools} tools @param {string} set @param {boolean} training */
  const play = (puzzle, tools, set, training) => {
    steps.push({ does: "play", puzzle, tools, set, training });
    if (about("puzzle", training)) steps.push({ does: "ask", when: "puzzle", about: plan.puzzles[puzzle].name, puzzles: [puzzle], training });
  };
  for (const puzzle of plan.training) play(puzzle, plan.training_tools[group], "", true);
  const all = [];
  for (const [set, condition, order] of dealt) {
    const puzzles = order.map((at) => plan.sets[set].puzzles[at]);
    for (const puzzle of puzzles) play(puzzle, plan.tools[group][condition], plan.sets[set].name, false);
    if (about("set")) steps.push({ does: "ask", when: "set", about: plan.sets[set].name, puzzles });
    all.push(...puzzles);
  }
  if (about("end")) steps.push({ does: "ask", when: "end", about: "", puzzles: all });
  return steps;
}

/** The puzzles in the order in which a person plays them, each with its condition: what a file says of it. @param {number} row */
export function sequenceOf(row) {
  const [, dealt] = plan.rows[row];
  const found = plan.training.map((puzzle) => [plan.puzzles[puzzle].name, ""]);
  for (const [set, condition, order] of dealt) {
    for (const at of order) found.push([plan.puzzles[plan.sets[set].puzzles[at]].name, plan.conditions[condition] ?? ""]);
  }
  return found;
}
