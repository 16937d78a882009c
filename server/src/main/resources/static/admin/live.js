// Parts of a page that poll pause while they have the keyboard focus or selected text.
"use strict";

document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.target.closest("[data-live]");
  const marked = getSelection();
  if (part && (part.contains(document.activeElement) || (!marked.isCollapsed && part.contains(marked.anchorNode)))) {
    event.preventDefault();
  }
});
