/*
 * Uploads a debug file: precheck, then the bare file as the body, with progress. A browser cannot send a bare file without a
 * script, so the form is hidden until this runs.
 */
(() => {
  "use strict";

  // The digest needs the whole file in memory.
  const MAX_DIGESTED_BYTES = 64 * 1024 * 1024;

  // Notes and section headers of a debug file are smaller.
  const MAX_PART_BYTES = 1024 * 1024;

  const SHT_NOTE = 7;
  const NT_GNU_BUILD_ID = 3;

  // The same text as Format.bytes on the server.
  function size(bytes) {
    if (bytes < 1024) {
      return `${bytes.toLocaleString("en")} ${bytes === 1 ? "byte" : "bytes"}`;
    }
    const units = ["KiB", "MiB", "GiB", "TiB"];
    let value = bytes / 1024;
    let unit = 0;
    while (value >= 999.95 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return `${value.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${units[unit]}`;
  }

  function hex(bytes) {
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async function sha256(file) {
    if (!globalThis.crypto?.subtle || file.size > MAX_DIGESTED_BYTES) {
      return null;
    }
    return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
  }

  async function part(file, start, length) {
    const end = Math.min(file.size, start + Math.min(length, MAX_PART_BYTES));
    return new DataView(await file.slice(start, Math.max(start, end)).arrayBuffer());
  }

  // Returns the build-id in a note section; null if there is none.
  function buildIdNote(notes, little) {
    let at = 0;
    while (at + 12 <= notes.byteLength) {
      const name = at + 12;
      const value = name + ((notes.getUint32(at, little) + 3) & ~3);
      const length = notes.getUint32(at + 4, little);
      const isGnu = name + 4 <= notes.byteLength && notes.getUint32(name) === 0x474e5500;
      if (isGnu && notes.getUint32(at + 8, little) === NT_GNU_BUILD_ID && value + length <= notes.byteLength) {
        return hex(new Uint8Array(notes.buffer, value, length));
      }
      at = value + ((length + 3) & ~3);
    }
    return null;
  }

  // Returns whether the file is ELF, and its build-id or null.
  async function look(file) {
    const head = await part(file, 0, 64);
    if (head.byteLength < 52 || head.getUint32(0) !== 0x7f454c46) {
      return { elf: false, id: null };
    }
    const wide = head.getUint8(4) === 2;
    const little = head.getUint8(5) === 1;
    const word = (view, at) => (wide ? Number(view.getBigUint64(at, little)) : view.getUint32(at, little));
    const entry = head.getUint16(wide ? 58 : 46, little);
    const table = await part(file, word(head, wide ? 40 : 32), entry * head.getUint16(wide ? 60 : 48, little));
    for (let at = 0; entry >= (wide ? 64 : 40) && at + entry <= table.byteLength; at += entry) {
      if (table.getUint32(at + 4, little) === SHT_NOTE) {
        const notes = await part(file, word(table, at + (wide ? 24 : 16)), word(table, at + (wide ? 32 : 20)));
        const id = buildIdNote(notes, little);
        if (id) {
          return { elf: true, id };
        }
      }
    }
    return { elf: true, id: null };
  }

  // Returns the build whose page takes the file, or why no page does.
  async function target(form, file) {
    const { elf, id } = await look(file);
    const build = form.dataset.build;
    if (!elf) {
      return { refused: `${file.name} is not an ELF file.` };
    }
    if (build && id && id !== build) {
      return { refused: `${file.name} has the build-id ${id}; expected ${build}.` };
    }
    return build || id ? { build: build || id } : { refused: `${file.name} has no build-id.` };
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

  function send(url, file, progress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", url);
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
      const { build, refused } = await target(form, file);
      if (refused) {
        say(refused, "notice-bad");
        return;
      }
      const page = form.dataset.upload + build;
      const url = `${page}/debuginfo`;
      say("Checking whether the server needs this file");
      const advice = await refusal(url, file);
      if (advice) {
        say(`Not uploaded: ${advice}`, "notice-warn");
        return;
      }
      bar.max = file.size;
      bar.hidden = false;
      const answer = await send(url, file, (sent) => {
        bar.value = sent;
        say(sent < file.size ? `${size(sent)} of ${size(file.size)}` : "Reading the file");
      });
      if (answer.ok) {
        say(answer.result === "same_file" ? "The server already has this file. " : `Stored ${file.name}, ${size(file.size)}. `, "notice-ok");
        const link = document.createElement("a");
        link.href = page;
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
