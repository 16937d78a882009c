"""Client of offsetd: struct offsets, sizes and symbols by ELF build-id.

Answers come from the server, else from a cache on the disk, else from a table that the program ships.
"""

from offsetd._cache import Cache
from offsetd._client import Answer, Client, OffsetdError, Source, Value
from offsetd._keys import htlhash, sha256

__all__ = ["Answer", "Cache", "Client", "OffsetdError", "Source", "Value", "htlhash", "sha256"]
