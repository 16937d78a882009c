# SPDX-License-Identifier: Apache-2.0

"""Cache of answers on the disk. All clients of offsetd share the format; ../../README.md describes it."""

import os
import tempfile
import time

_SUFFIX = ".offsetd"
_UNFINISHED = ".unfinished-"
_HOUR = 3600


def _hash(data):
    """Returns the FNV-1a hash of 64 bits, in hex."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


class Cache:
    """Folder of answers, one file each. Threads and processes may share it."""

    def __init__(self, folder, max_bytes=64 << 20):
        self._folder = os.fspath(folder)
        self._max_bytes = max_bytes

    def _path(self, key):
        return os.path.join(self._folder, _hash(key.encode()) + _SUFFIX)

    def read(self, key):
        """Returns the ETag and the body stored for a key, or None if there are none or the file is damaged."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                stored = file.read(self._max_bytes + 1)
            os.utime(path)
        except OSError:
            return None
        parts = stored.split(b"\n", 3)
        if len(parts) != 4 or parts[0] != key.encode() or parts[2] != _hash(parts[3]).encode():
            return None
        return parts[1].decode("latin-1"), parts[3]

    def write(self, key, etag, body):
        """Stores an answer and evicts the least recently used ones. A full disk is no error: nothing is stored then."""
        content = b"\n".join((key.encode(), etag.encode("latin-1"), _hash(body).encode(), body))
        try:
            os.makedirs(self._folder, exist_ok=True)
            handle, unfinished = tempfile.mkstemp(prefix=_UNFINISHED, dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.replace(unfinished, self._path(key))
            except OSError:
                os.unlink(unfinished)
                raise
            self._evict()
        except OSError:
            pass

    def _evict(self):
        files = []
        for entry in os.scandir(self._folder):
            try:
                stat = entry.stat()
                if entry.name.endswith(_SUFFIX):
                    files.append((stat.st_mtime_ns, stat.st_size, entry.path))
                elif entry.name.startswith(_UNFINISHED) and stat.st_mtime < time.time() - _HOUR:
                    os.unlink(entry.path)  # its writer was killed
            except FileNotFoundError:
                pass  # another process evicted it
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._max_bytes:
                break
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass
            total -= size
