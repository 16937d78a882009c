/*
 * Shows details of the hovered or focused block below the memory map. Without this script the block's title and the table
 * show the same.
 */
(() => {
  "use strict";

  function tell(event) {
    const block = event.target.closest?.(".map-block");
    const line = document.getElementById("map-detail");
    if (block && line) {
      line.textContent = block.getAttribute("aria-label");
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
