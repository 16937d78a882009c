"""Keys of builds: GNU build-ids, and alias keys for builds that have none, or one that programs share."""

import hashlib
import os
import re

_KEY = re.compile(r"([0-9a-f]{2}){8,64}|go:[A-Za-z0-9_.=+~-]{1,200}|htl:[0-9a-f]{32}|sha256:[0-9a-f]{64}")

_ENDS = 4096


def canonical(key):
    """Returns the spelling of a key that the server uses.

    :raises ValueError: if it is none
    """
    if not key.startswith("go:"):
        key = key.lower()
    if not _KEY.fullmatch(key):
        raise ValueError(f"not a build-id: {key!r}; expected 8 to 64 bytes in hex, or go:, htl: or sha256: and a value")
    return key


def is_alias(key):
    """Returns whether a build may be stored under another key than this one."""
    return ":" in key


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
