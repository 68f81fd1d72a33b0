/* The overview's charts, each drawn from the table that has the same figures. */
"use strict";

(() => {
  const language = document.documentElement.lang;
  const written = {
    "1h": { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    "24h": { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    "7d": { month: "numeric", day: "numeric", hour: "2-digit", hourCycle: "h23" },
    "30d": { month: "numeric", day: "numeric" },
  };
  const compact = new Intl.NumberFormat(language, { notation: "compact" });

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function value(cell) {
    const said = cell.dataset.value ?? cell.textContent;
    return said === "" ? null : Number(said);
  }

  function figures(canvas) {
    const table = document.getElementById(canvas.dataset.table);
    const time = new Intl.DateTimeFormat(language, written[canvas.dataset.span]);
    const rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells].slice(1);
    return {
      labels: rows.map((row) => time.format(new Date(row.querySelector("time").dateTime))),
      datasets: heads.map((head, index) => ({
        label: head.textContent,
        data: rows.map((row) => value(row.cells[index + 1])),
        backgroundColor: colour(`--${head.dataset.colour}`),
        borderColor: colour(`--${head.dataset.colour}`),
        ...("lines" in canvas.dataset
          ? { borderWidth: 2, pointRadius: 2, spanGaps: true, tension: 0.2 }
          : { categoryPercentage: 0.92, barPercentage: 0.92, borderWidth: 0 }),
      })),
    };
  }

  function inUnit(unit, figure) {
    if (unit !== "ms") return compact.format(figure);
    return figure < 1000 ? `${Math.round(figure)} ms` : `${Number((figure / 1000).toPrecision(3))} s`;
  }

  function options(canvas) {
    const text = { color: colour("--muted"), maxRotation: 0, autoSkipPadding: 14, precision: 0 };
    const stacked = !("lines" in canvas.dataset);
    const unit = canvas.dataset.unit;
    return {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: { label: (at) => `${at.dataset.label}: ${inUnit(unit, at.parsed.y)}` },
        },
      },
      scales: {
        x: { stacked, ticks: text, grid: { display: false }, border: { color: colour("--line") } },
        y: {
          stacked, beginAtZero: true,
          ticks: { ...text, maxTicksLimit: 5, callback: (figure) => inUnit(unit, figure) },
          grid: { color: colour("--line") }, border: { display: false },
        },
      },
    };
  }

  const canvases = [...document.querySelectorAll("canvas[data-table]")];
  if (!canvases.length) return;
  Chart.defaults.font.family = colour("--font");
  const charts = canvases.map((canvas) => new Chart(canvas, {
    type: "lines" in canvas.dataset ? "line" : "bar",
    data: figures(canvas),
    options: options(canvas),
  }));

  function refresh(chart) {
    chart.data = figures(chart.canvas);
    chart.options = options(chart.canvas);
    chart.update("none");
  }

  document.addEventListener("htmx:oobAfterSwap", (event) => {
    charts.filter((chart) => chart.canvas.dataset.table === event.detail.target.id).forEach(refresh);
  });
  matchMedia("(prefers-color-scheme: dark)")
    .addEventListener("change", () => charts.forEach(refresh));
})();
