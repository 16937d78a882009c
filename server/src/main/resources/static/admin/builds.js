/*
 * The line below a memory map tells of the block that is pointed at, or that has the focus. Without this script the block's
 * own title and the table tell the same.
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

  // A form that was opened in a row closes again without a request.
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
