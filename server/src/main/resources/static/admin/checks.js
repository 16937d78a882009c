/*
 * Sends the chosen BPF program as the body of the check. A browser cannot send a bare file without a script, so its field is
 * hidden until this runs.
 */
(() => {
  "use strict";

  async function check(form, file) {
    const parameters = new URLSearchParams(new FormData(form));
    const response = await fetch(`${form.action}?${parameters}`, {
      method: "POST",
      headers: {
        ...JSON.parse(document.body.getAttribute("hx-headers")),
        "Content-Type": "application/octet-stream",
        "HX-Request": "true",
      },
      body: file,
    });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const results = page.getElementById("results");
    if (!results) {
      throw new Error(`The server answered ${response.status}. Reload the page, and sign in again if it asks.`);
    }
    document.getElementById("results").replaceWith(results);
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll("form[data-check]")) {
      const input = form.querySelector("input[type=file]");
      const button = form.querySelector("button");
      input.closest(".field").hidden = false;
      form.addEventListener("submit", async (event) => {
        if (input.files.length !== 1) {
          return;
        }
        event.preventDefault();
        button.disabled = true;
        try {
          await check(form, input.files[0]);
        } catch (error) {
          const trouble = document.getElementById("trouble");
          trouble.textContent = error.message;
          trouble.hidden = false;
        } finally {
          button.disabled = false;
        }
      });
    }
  });
})();
