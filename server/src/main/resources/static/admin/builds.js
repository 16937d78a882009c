/*
 * Shows details of the hovered or focused block below the memory map. Without this script the block's title and the table
 * show the same.
 */
(() => {
  "use strict";

  // A member in several rows has a block in each.
  function tell(event) {
    const block = event.target.closest?.(".map .map-block");
    const line = document.getElementById("map-detail");
    if (block && line && block.title) {
      line.textContent = block.title;
    }
    for (const hot of document.querySelectorAll(".map-block.is-hot")) {
      hot.classList.remove("is-hot");
    }
    if (block?.dataset.path) {
      for (const part of block.closest(".map").querySelectorAll(`[data-path="${CSS.escape(block.dataset.path)}"]`)) {
        part.classList.add("is-hot");
      }
    }
  }
  document.addEventListener("pointerover", tell);
  document.addEventListener("focusin", tell);

  // Closes a form in a table row without a request.
  document.addEventListener("click", (event) => {
    const close = event.target.closest("[data-close]");
    const place = close?.closest("td[id^=pin-at-]");
    if (place) {
      event.preventDefault();
      const row = place.parentElement.previousElementSibling;
      place.replaceChildren();
      row?.querySelector("a.button")?.focus();
    }
  });
})();
