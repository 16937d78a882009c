/*
 * Uploads a debug file: precheck, then the bare file as the body, with progress. A browser cannot send a bare file without a
 * script, so the form is hidden until this runs.
 */
(() => {
  "use strict";

  // The digest needs the whole file in memory.
  const MAX_DIGESTED_BYTES = 64 * 1024 * 1024;

  function size(bytes) {
    let value = bytes;
    let unit = 0;
    const units = ["bytes", "KiB", "MiB", "GiB"];
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
  }

  async function sha256(file) {
    if (!globalThis.crypto?.subtle || file.size > MAX_DIGESTED_BYTES) {
      return null;
    }
    const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async function isElf(file) {
    const magic = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    return [0x7f, 0x45, 0x4c, 0x46].every((byte, index) => magic[index] === byte);
  }

  function answerOf(text, status) {
    try {
      return JSON.parse(text);
    } catch {
      return { detail: `The server answered ${status}. Reload the page, and sign in again if it asks.` };
    }
  }

  // Returns why the server would not take the file; null if it would.
  async function refusal(url, file) {
    const digest = await sha256(file);
    const response = await fetch(`${url}/precheck?size=${file.size}${digest ? `&sha256=${digest}` : ""}`, {
      headers: { Accept: "application/json" },
    });
    const advice = answerOf(await response.text(), response.status);
    return advice.upload ? null : advice.detail;
  }

  function send(form, file, progress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", form.dataset.upload);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.setRequestHeader("Accept", "application/json");
      for (const [name, value] of Object.entries(JSON.parse(document.body.getAttribute("hx-headers")))) {
        request.setRequestHeader(name, value);
      }
      request.upload.addEventListener("progress", (event) => progress(event.loaded));
      request.addEventListener("load", () => resolve({ ok: request.status < 300, ...answerOf(request.responseText, request.status) }));
      request.addEventListener("error", () => reject(new Error("The connection was lost. Try again.")));
      request.send(file);
    });
  }

  async function upload(form, file) {
    const bar = form.querySelector("progress");
    const result = form.querySelector("[role=status]");
    const button = form.querySelector("button");
    function say(text, style) {
      result.textContent = text;
      result.className = style ? `notice ${style}` : "muted";
    }
    button.disabled = true;
    try {
      if (!await isElf(file)) {
        say(`${file.name} is not an ELF file.`, "notice-bad");
        return;
      }
      say("Checking whether the server needs this file");
      const refused = await refusal(form.dataset.upload, file);
      if (refused) {
        say(`Not uploaded: ${refused}`, "notice-warn");
        return;
      }
      bar.max = file.size;
      bar.hidden = false;
      const answer = await send(form, file, (sent) => {
        bar.value = sent;
        say(sent < file.size ? `${size(sent)} of ${size(file.size)}` : "Reading the file");
      });
      if (answer.ok) {
        say(answer.result === "same_file" ? "The server already has this file." : `Stored ${file.name}, ${size(file.size)}. `, "notice-ok");
        const link = document.createElement("a");
        link.href = location.pathname;
        link.textContent = "Show the build";
        result.append(link);
      } else {
        say(`Not stored: ${answer.detail}`, "notice-bad");
      }
    } catch (error) {
      say(error.message, "notice-bad");
    } finally {
      bar.hidden = true;
      button.disabled = false;
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll("form[data-upload]")) {
      const input = form.querySelector("input[type=file]");
      form.hidden = false;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (input.files.length === 1) {
          upload(form, input.files[0]);
        }
      });
      form.addEventListener("dragover", (event) => {
        event.preventDefault();
        form.classList.add("is-over");
      });
      form.addEventListener("dragleave", () => form.classList.remove("is-over"));
      form.addEventListener("drop", (event) => {
        event.preventDefault();
        form.classList.remove("is-over");
        if (event.dataTransfer.files.length === 1) {
          input.files = event.dataTransfer.files;
          upload(form, input.files[0]);
        }
      });
    }
  });
})();
