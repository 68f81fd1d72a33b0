/* The overview's chart, drawn from the table that says the same. */
"use strict";

(() => {
  const canvas = document.getElementById("actions-chart");
  if (!canvas) return;
  const language = document.documentElement.lang;
  const written = {
    "1h": { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    "24h": { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    "7d": { month: "numeric", day: "numeric", hour: "2-digit", hourCycle: "h23" },
    "30d": { month: "numeric", day: "numeric" },
  };
  const time = new Intl.DateTimeFormat(language, written[canvas.dataset.span]);

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function figures() {
    const table = document.getElementById(canvas.dataset.table);
    const rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells].slice(1);
    return {
      labels: rows.map((row) => time.format(new Date(row.querySelector("time").dateTime))),
      datasets: heads.map((head, index) => ({
        label: head.textContent,
        data: rows.map((row) => Number(row.cells[index + 1].textContent)),
        backgroundColor: colour(`--${head.dataset.action}`),
        categoryPercentage: 0.92,
        barPercentage: 0.92,
      })),
    };
  }

  function options() {
    const text = { color: colour("--muted"), maxRotation: 0, autoSkipPadding: 14, precision: 0 };
    return {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      plugins: { legend: { display: false } },
      scales: {
        x: { stacked: true, ticks: text, grid: { display: false }, border: { color: colour("--line") } },
        y: {
          stacked: true, beginAtZero: true, ticks: { ...text, maxTicksLimit: 5 },
          grid: { color: colour("--line") }, border: { display: false },
        },
      },
    };
  }

  Chart.defaults.font.family = colour("--font");
  const chart = new Chart(canvas, { type: "bar", data: figures(), options: options() });

  function refresh() {
    const { labels, datasets } = figures();
    chart.data.labels = labels;
    datasets.forEach((set, index) => Object.assign(chart.data.datasets[index], set));
    chart.options = options();
    chart.update("none");
  }

  document.addEventListener("htmx:oobAfterSwap", (event) => {
    if (event.detail.target.id === canvas.dataset.table) refresh();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
})();
