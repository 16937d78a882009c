# SPDX-License-Identifier: Apache-2.0

"""Keys of builds: GNU build-ids, and alias keys for builds that have none, or one that programs share."""

import hashlib
import os
import re
import struct

_KEY = re.compile(r"([0-9a-f]{2}){8,64}|go:[A-Za-z0-9_.=+~-]{1,200}|htl:[0-9a-f]{32}|sha256:[0-9a-f]{64}")

_ENDS = 4096


def canonical(key):
    """Returns the spelling of a key that the server uses.

    :raises ValueError: if it is none
    """
    if isinstance(key, str) and not key.startswith("go:"):
        key = key.lower()
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ValueError(f"not a build-id: {key!r}; expected 8 to 64 bytes in hex, or go:, htl: or sha256: and a value")
    return key


def is_alias(key):
    """Returns whether a build may be stored under another key than this one."""
    return ":" in key


def build_id(path):
    """Returns the GNU build-id of an ELF file, or None if it has none.

    The path may be that of a mapped file, /proc/PID/map_files/START-END, which works when the file was replaced.

    :raises ValueError: if the file is not an ELF file
    """
    with open(path, "rb") as file:
        head = file.read(64)
        if len(head) < 52 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
            raise ValueError(f"{path}: not an ELF file")
        order, wide = "<>"[head[5] - 1], head[4] == 2
        try:
            # gABI, ELF header: e_phoff and e_shoff; then e_phentsize, e_phnum, e_shentsize, e_shnum.
            program, section = struct.unpack_from(order + ("QQ" if wide else "II"), head, 32 if wide else 28)
            sizes = struct.unpack_from(order + "HHHH", head, 54 if wide else 42)
        except struct.error:
            raise ValueError(f"{path}: the ELF header is incomplete") from None
        # Debug files have no contents of segments, and some programs have no sections.
        places = [
            *_notes(file, section, sizes[2:], order, 4, _SECTION[wide], 7),
            *_notes(file, program, sizes[:2], order, 0, _SEGMENT[wide], 4),
        ]
        for offset, size, align in places:
            found = _build_id(_at(file, offset, min(size, _MOST_NOTES)), order, 8 if align == 8 else 4)
            if found:
                return found
    return None


_MOST_NOTES = 1 << 16

# Type of the entry, then offset, size and alignment of its contents, in 32-bit and 64-bit files.
_SECTION = {False: ("I", 16, 20, 32), True: ("Q", 24, 32, 48)}
_SEGMENT = {False: ("I", 4, 16, 28), True: ("Q", 8, 32, 48)}


def _at(file, offset, size):
    """Returns the bytes at an offset, fewer at the end of the file."""
    if offset >= os.fstat(file.fileno()).st_size:
        return b""
    file.seek(offset)
    return file.read(size)


def _notes(file, offset, sizes, order, type_at, places, note):
    """Yields offset, size and alignment of the sections or segments with notes."""
    size, count = sizes
    number, *positions = places
    entries = _at(file, offset, size * count)
    for start in range(0, len(entries) - size + 1, size or 1):
        entry = entries[start : start + size]
        if size >= 32 and struct.unpack_from(order + "I", entry, type_at)[0] == note:
            try:
                yield tuple(struct.unpack_from(order + number, entry, at)[0] for at in positions)
            except struct.error:
                return  # entries are shorter than the class of the file requires


def _build_id(notes, order, align):
    """Returns the build-id in notes, or None if they have none."""
    at = 0
    while at + 12 <= len(notes):
        name, size, kind = struct.unpack_from(order + "III", notes, at)
        start = at + -(-(12 + name) // align) * align
        if start + size > len(notes):
            break
        if kind == 3 and notes[at + 12 : at + 12 + name] == b"GNU\0":
            found = notes[start : start + size].hex()
            if _KEY.fullmatch(found):
                return found
        at = start + -(-size // align) * align
    return None


def htlhash(path):
    """Returns the alias key of an executable by OpenTelemetry's process.executable.build_id.htlhash.

    It is the SHA-256 of the first 4096 bytes of the file, its last 4096 bytes and its length as a big-endian 64-bit number, cut
    to 16 bytes.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        digest = hashlib.sha256(file.read(_ENDS))
        file.seek(max(0, size - _ENDS))
        digest.update(file.read(_ENDS))
        digest.update(size.to_bytes(8, "big"))
    return "htl:" + digest.hexdigest()[:32]


def sha256(path):
    """Returns the alias key of exactly this file."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    return "sha256:" + digest.hexdigest()
