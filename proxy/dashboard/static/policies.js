/* A filter over a policy's values, and the way from a problem to its line. */
"use strict";

(() => {
  function filter(field) {
    const table = document.getElementById(field.dataset.filter);
    if (table === null) return;
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const body of table.tBodies) {
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
    }
    const count = document.getElementById("filter-count");
    count.textContent = words.length ? count.dataset.count.replace("{number}", shown) : "";
  }

  function goToLine(field, number) {
    const lines = field.value.split("\n");
    const start = lines.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
    field.focus();
    field.setSelectionRange(start, start + (lines[number - 1] ?? "").length);
    const height = Number.parseFloat(getComputedStyle(field).lineHeight);
    field.scrollTop = Math.max(0, (number - 4) * height);
  }

  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-filter]")) filter(event.target);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (link === null) return;
    event.preventDefault();
    goToLine(document.getElementById("text"), Number(link.dataset.line));
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id === "draft-result") event.target.querySelector("[data-result]")?.focus();
  });
})();
