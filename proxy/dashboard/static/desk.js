/* What every page shares: local times, forms that send themselves, news of failed requests. */
"use strict";

(() => {
  const language = document.documentElement.lang;
  const short = new Intl.DateTimeFormat(language, {
    month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
    hourCycle: "h23",
  });
  const long = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });

  // The server does not know the visitor's time zone.
  function writeTimes(within) {
    for (const time of within.querySelectorAll("time[datetime]")) {
      const when = new Date(time.dateTime);
      if (Number.isNaN(when.getTime())) continue;
      time.textContent = short.format(when);
      time.title = long.format(when);
    }
  }

  function say(name) {
    const notice = document.getElementById("notice");
    notice.hidden = !name;
    notice.textContent = name ? notice.dataset[name] : "";
  }

  document.addEventListener("change", (event) => {
    event.target.closest("form[data-send-on-change]")?.requestSubmit();
  });

  // Nobody looks at a page in a background tab: what polls rests until it is seen again.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, requestConfig } = event.detail;
    if (document.hidden && requestConfig.verb === "get" && elt.hasAttribute("data-poll")) {
      event.preventDefault();
    }
  });
  document.addEventListener("htmx:sendError", () => say("offline"));
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status !== 401) say("failed");
  });
  document.addEventListener("htmx:afterOnLoad", (event) => {
    if (event.detail.successful) say(null);
  });
  document.addEventListener("htmx:load", (event) => writeTimes(event.detail.elt));
  document.addEventListener("DOMContentLoaded", () => writeTimes(document));
})();
