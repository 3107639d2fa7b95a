"use strict";

// A column is sorted by what its cells say, or by their data-key: numbers as numbers.
function keyOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.key ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
}

function compare(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

for (const table of document.querySelectorAll("table")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.querySelector("button")?.addEventListener("click", () => {
      const up = heading.getAttribute("aria-sort") !== "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const keyed = [...body.rows].map((row) => [keyOf(row, column), row]);
      keyed.sort((a, b) => (up ? 1 : -1) * compare(a[0], b[0]));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}

const words = document.getElementById("words");
const rows = [...document.querySelectorAll("#games tbody tr")];

function show() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !wanted.every((word) => text.includes(word));
    count += row.hidden ? 0 : 1;
  }
  document.getElementById("shown").textContent = `${count} of ${rows.length}`;
}

words.addEventListener("input", show);
show();
