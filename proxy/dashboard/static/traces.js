/* Traces: moments in the visitor's time zone, the live list, findings and their places. */
"use strict";

(() => {
  /* Filters: the server thinks in UTC, the visitor in his own zone. */

  function local(moment) {
    const pad = (figure) => String(figure).padStart(2, "0");
    const day = [moment.getFullYear(), pad(moment.getMonth() + 1), pad(moment.getDate())];
    return `${day.join("-")}T${pad(moment.getHours())}:${pad(moment.getMinutes())}`;
  }

  function translateMoments(form) {
    const fields = [...form.querySelectorAll("input[data-moment]")];
    for (const field of fields) {
      if (field.dataset.moment) field.value = local(new Date(field.dataset.moment));
    }
    form.addEventListener("formdata", ({ formData }) => {
      for (const { name, value } of fields) {
        if (value) formData.set(name, new Date(value).toISOString());
      }
      for (const [name, value] of [...formData]) if (!value) formData.delete(name);
    });
  }

  /* The live list: new lines come in on top, and whoever reads below is not disturbed. */

  const TELL_EVERY_MS = 5000;

  function followNews(rows, state) {
    const known = new Set([...rows.children].map((row) => row.id));
    let count = 0;
    let timer = 0;
    let anchor = null;

    function kind() {
      if (document.hidden) return "paused";
      if (document.getElementById("live-cursor").hasAttribute("data-away")) return "away";
      return count ? "new" : "waiting";
    }

    function tell() {
      clearTimeout(timer);
      timer = 0;
      state.dataset.state = kind();
      const said = state.dataset[kind()].replace("{count}", count);
      if (state.textContent !== said) state.textContent = said;
    }

    // Screen readers hear of every change of this text: counts are told now and then only.
    function tellInTime() {
      if (kind() !== state.dataset.state) tell();
      else if (!timer) timer = setTimeout(tell, TELL_EVERY_MS);
    }

    const focusedRow = () => document.activeElement?.closest("#rows > li");

    function notePlace() {
      const isBelow = rows.getBoundingClientRect().top < 0;
      const inSight = (row) => row.getBoundingClientRect().bottom > 0;
      const row = focusedRow() ?? (isBelow ? [...rows.children].find(inSight) : null);
      anchor = row ? { row, top: row.getBoundingClientRect().top } : null;
    }

    function keepPlace() {
      if (anchor?.row.isConnected) {
        window.scrollBy(0, anchor.row.getBoundingClientRect().top - anchor.top);
      }
    }

    function tidy() {
      const met = new Set();
      for (const row of [...rows.children]) {
        const isTooMany = met.size >= Number(rows.dataset.most) && row !== focusedRow();
        if (isTooMany || met.has(row.id)) row.remove();
        if (row.id && !known.has(row.id)) count += 1;
        if (row.id) known.add(row.id);
        met.add(row.id || row);
      }
    }

    rows.addEventListener("htmx:beforeSwap", notePlace);
    rows.addEventListener("htmx:afterSwap", () => {
      tidy();
      keepPlace();
    });
    document.addEventListener("htmx:afterRequest", tellInTime);
    document.addEventListener("visibilitychange", tell);
  }

  /* A finding: its places in the texts and what it quotes light up together. */

  const isStill = matchMedia("(prefers-reduced-motion: reduce)");

  function show(element) {
    element.scrollIntoView({ block: "center", behavior: isStill.matches ? "auto" : "smooth" });
  }

  function select(number) {
    for (const element of document.querySelectorAll(".selected")) {
      element.classList.remove("selected");
    }
    const places = `[data-finding="${number}"], [data-findings~="${number}"]`;
    for (const element of document.querySelectorAll(places)) {
      element.classList.add("selected");
      const folded = element.closest("details");
      if (folded) folded.open = true;
    }
  }

  function showEvidence(link, event) {
    const mark = document.querySelector(
      `${link.hash} [data-findings~="${link.dataset.evidence}"]`,
    );
    if (!mark) return;
    event.preventDefault();
    show(mark);
    mark.querySelector("a")?.focus({ preventScroll: true });
  }

  function selectNamed() {
    const named = location.hash.match(/^#(?:finding|place)-(\d+)$/);
    if (named) select(named[1]);
  }

  function linkFindings() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      const place = event.target.closest("[data-findings]");
      const finding = event.target.closest("[data-finding]");
      if (finding) select(finding.dataset.finding);
      if (link?.dataset.evidence) showEvidence(link, event);
      if (place && !link) {
        const [first] = place.dataset.findings.split(" ");
        select(first);
        show(document.querySelector(`[data-finding="${first}"]`));
      }
    });
    window.addEventListener("hashchange", selectNamed);
    selectNamed();
  }

  /* Feedback: what is selected in an answer is what was missed in it. */

  function takeSelections(marking) {
    const quote = marking.querySelector("[data-quote]");
    const near = marking.querySelector("[data-near]");
    const choice = marking.querySelector("[data-choice]");
    const isReply = (element) => "reply" in element.dataset;

    function take({ target }) {
      const { value, selectionStart: start, selectionEnd: end } = target;
      if (!isReply(target) || start === end) return;
      quote.value = value.slice(start, end);
      near.value = [...value.slice(0, start)].length; // the server counts code points
      if (choice) choice.value = target.dataset.reply;
    }

    for (const event of ["select", "keyup", "pointerup"]) marking.addEventListener(event, take);
    // A field that is marked as read-only has no caret to select with by the keyboard.
    for (const event of ["beforeinput", "drop"]) {
      marking.addEventListener(event, (change) => {
        if (isReply(change.target)) change.preventDefault();
      });
    }
  }

  const marking = document.querySelector(".marking");
  if (marking) takeSelections(marking);

  const form = document.getElementById("filters");
  const rows = document.getElementById("rows");
  const state = document.getElementById("live-state");
  if (form) translateMoments(form);
  if (rows && state) followNews(rows, state);
  if (document.querySelector("[data-finding]")) linkFindings();
})();
