"use strict";

// A column is sorted by what its cells say, or by their data-key: numbers as numbers.
/** @param {HTMLTableRowElement} row @param {number} column */
function keyOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.key ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
}

/** @param {number | string} a @param {number | string} b */
function compare(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

for (const table of document.querySelectorAll("table")) {
  const headings = [...(table.tHead?.rows[0].cells ?? [])];
  headings.forEach((heading, column) => {
    heading.querySelector("button")?.addEventListener("click", () => {
      const up = heading.getAttribute("aria-sort") !== "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const keyed = [...body.rows].map((row) => ({ key: keyOf(row, column), row }));
      keyed.sort((a, b) => (up ? 1 : -1) * compare(a.key, b.key));
      body.append(...keyed.map(({ row }) => row));
    });
  });
}

const words = /** @type {HTMLInputElement} */ (document.getElementById("words"));
const told = /** @type {HTMLElement} */ (document.getElementById("shown"));
const tables = ["games", "levels"].map((name) => ({
  name,
  rows: [...document.querySelectorAll(`#${name} tbody tr`)].filter((row) => row instanceof HTMLElement),
}));

function show() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = tables.map(({ name, rows }) => {
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
    }
    return `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows of ${name}`;
  });
  told.textContent = counts.join(", ");
}

words.addEventListener("input", show);
for (const link of document.querySelectorAll("a[data-words]")) {
  link.addEventListener("click", () => {
    words.value = link instanceof HTMLElement ? link.dataset.words ?? "" : "";
    show();
  });
}
show();
