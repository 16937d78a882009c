/*
 * Enhancements; every page works without them. The content security policy forbids inline handlers and eval.
 */
(() => {
  "use strict";

  const UNITS = [
    ["year", 31536000],
    ["month", 2592000],
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ];
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

  function relative(date) {
    const seconds = (date.getTime() - Date.now()) / 1000;
    for (const [unit, length] of UNITS) {
      if (Math.abs(seconds) >= length) {
        return words.format(Math.round(seconds / length), unit);
      }
    }
    return seconds <= 0 ? "just now" : "in a moment";
  }

  function tellTimes(root) {
    for (const time of root.querySelectorAll("time.when[datetime]")) {
      const date = new Date(time.getAttribute("datetime"));
      if (Number.isNaN(date.getTime())) {
        continue;
      }
      time.title ||= `${time.textContent.trim()} UTC`;
      time.textContent = relative(date);
    }
  }

  // Labels each cell with its column for narrow windows, which stack the cells of a row and leave out blank ones.
  function labelCells() {
    for (const table of document.querySelectorAll(".table:not(.diff-table)")) {
      const names = [...(table.tHead?.rows[0].cells ?? [])].map((head) => (head.querySelector(".visually-hidden") ? "" : head.textContent.trim()));
      for (const cell of table.querySelectorAll(":scope > tbody > tr > :not([data-column], [colspan])")) {
        cell.dataset.column = names[cell.cellIndex];
        cell.classList.toggle("is-blank", !cell.textContent.trim() && !cell.querySelector("input, progress"));
      }
    }
  }

  // Copies the value of data-copy, or the text of the element that data-copy-from selects.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-copy-from]");
    if (!button) {
      return;
    }
    const source = button.dataset.copyFrom ? document.querySelector(button.dataset.copyFrom) : null;
    try {
      await navigator.clipboard.writeText(source ? source.textContent.trim() : button.dataset.copy);
      const before = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = before; }, 1500);
    } catch {
      button.textContent = "Copy failed";
    }
  });

  // "/" focuses the search field.
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const field = [...document.querySelectorAll("main input[type=search], .find input")].find((one) => one.offsetParent);
    if (field) {
      event.preventDefault();
      field.focus();
    }
  });

  // Hidden pages do not poll.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden && event.detail.requestConfig.verb === "get") {
      event.preventDefault();
    }
  });

  function failed(text) {
    const place = document.getElementById("trouble");
    if (place) {
      place.textContent = text;
      place.hidden = false;
    }
  }
  // A reload would empty a form, so it is not advised where another attempt is enough.
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    failed(`The server answered ${status}. ${[429, 503].includes(status) ? "Try again in a moment." : "This page may be out of date; reload it."}`);
  });
  document.addEventListener("htmx:sendError", () => {
    failed("The server cannot be reached. This page may be out of date.");
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const place = document.getElementById("trouble");
    if (place && event.detail.successful) {
      place.hidden = true;
    }
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    tellTimes(event.detail.target);
    labelCells();
  });
  document.addEventListener("DOMContentLoaded", () => {
    tellTimes(document);
    labelCells();
  });
})();
