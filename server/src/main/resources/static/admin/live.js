// Parts of a page that fetch themselves anew leave alone whoever is in them with the keyboard or has marked text there.
"use strict";

document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.target.closest("[data-live]");
  const marked = getSelection();
  if (part && (part.contains(document.activeElement) || (!marked.isCollapsed && part.contains(marked.anchorNode)))) {
    event.preventDefault();
  }
});
