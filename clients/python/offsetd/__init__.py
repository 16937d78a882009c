# SPDX-License-Identifier: Apache-2.0

"""Client of offsetd: struct offsets, sizes and symbols by ELF build-id.

An answer comes from one place: the server, else a cache on the disk, else a table that the program ships. It has every
required item, or there is an error.
"""

from offsetd._answer import Answer, BitField, Coverage, Function, Missing, Place, Plan, Source, Step, Symbol, Tls, Value
from offsetd._client import Client, Program, Query
from offsetd._errors import OffsetdError, Reason
from offsetd._keys import build_id, htlhash, sha256

__all__ = [
    "Answer",
    "BitField",
    "Client",
    "Coverage",
    "Function",
    "Missing",
    "OffsetdError",
    "Place",
    "Plan",
    "Program",
    "Query",
    "Reason",
    "Source",
    "Step",
    "Symbol",
    "Tls",
    "Value",
    "build_id",
    "htlhash",
    "sha256",
]
