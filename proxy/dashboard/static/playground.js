/* Source boxes that come and go, a request that says how long it runs, and a way to end it. */
"use strict";

(() => {
  const numbered = (text, number) => text.replace("{number}", String(number));

  function number(boxes) {
    [...boxes.querySelectorAll("[data-source]")].forEach((box, place) => {
      box.querySelector("[data-number]").textContent = numbered(boxes.dataset.legend, place + 1);
      box.querySelector("[data-remove-source]")
        .setAttribute("aria-label", numbered(boxes.dataset.remove, place + 1));
    });
  }

  function add(boxes) {
    boxes.append(document.getElementById("source-box").content.cloneNode(true));
    number(boxes);
    boxes.lastElementChild.querySelector("input").focus();
  }

  function remove(box) {
    const boxes = box.closest("[data-boxes]");
    const near = box.nextElementSibling ?? box.previousElementSibling;
    if (near === null) {
      for (const field of box.querySelectorAll("input, textarea")) field.value = "";
      box.querySelector("input").focus();
      return;
    }
    box.remove();
    number(boxes);
    near.querySelector("[data-remove-source]").focus();
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-add-source]")) {
      add(document.querySelector("[data-boxes]"));
    } else if (event.target.closest("[data-remove-source]")) {
      remove(event.target.closest("[data-source]"));
    } else if (event.target.closest("[data-cancel]")) {
      htmx.trigger(event.target.closest("form"), "htmx:abort");
    }
  });

  let ticking = 0;

  function tick(form) {
    const told = form.querySelector("[data-elapsed]");
    const began = Date.now();
    const write = () => {
      told.textContent = numbered(told.dataset.seconds, Math.round((Date.now() - began) / 1000));
    };
    clearInterval(ticking);
    told.textContent = "";
    ticking = setInterval(write, 1000);
  }

  const isTry = (event) => event.target.matches("[data-try]");
  const cancelled = () => document.querySelector("[data-cancelled]");

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!isTry(event)) return;
    cancelled().hidden = true;
    tick(event.target);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (isTry(event)) clearInterval(ticking);
  });
  document.addEventListener("htmx:sendAbort", (event) => {
    if (!isTry(event)) return;
    cancelled().hidden = false;
    event.target.querySelector("#send").focus();
  });

  // Whoever cannot see the result come is led to it, or to the field that something is wrong with.
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id !== "result") return;
    for (const field of document.querySelectorAll("#try [aria-invalid]")) {
      field.removeAttribute("aria-invalid");
    }
    const named = event.target.querySelector("[data-problem-field]")?.dataset.problemField;
    document.getElementById(named)?.setAttribute("aria-invalid", "true");
    event.target.querySelector("[data-result]")?.focus();
  });
})();
