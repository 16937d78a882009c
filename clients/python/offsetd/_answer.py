# SPDX-License-Identifier: Apache-2.0

"""Answers and their values."""

import enum
import json
from typing import NamedTuple, Optional

from offsetd import _keys


class Source(enum.Enum):
    """Where an answer comes from."""

    SERVER = "server"
    REVALIDATED = "revalidated"  # from the cache; the server confirmed that it is current
    CACHE = "cache"  # from the cache; the server gave no answer
    FALLBACK = "fallback"  # from the table


class BitField(NamedTuple):
    """Place of a bit-field: the bytes to load, and the bits in memory order from the start of the outermost type."""

    offset: int
    size: int
    bit_offset: int
    bit_size: int

    def extract(self, load, byte_order):
        """Returns the field's bits of a load: the size bytes at offset, as one number in the byte order of the build."""
        shift = self.bit_offset % 8
        if byte_order == "big":
            shift = 8 * self.size - shift - self.bit_size
        return load >> shift & (1 << self.bit_size) - 1


class Symbol(NamedTuple):
    """Symbol of a file. The value of a thread-local variable is its offset in the TLS segment."""

    name: str
    version: Optional[str]
    value: int
    size: int  # 0 if unknown
    type: str  # "FUNC", "OBJECT", "TLS", ...
    binding: str  # "GLOBAL", "UNIQUE", "WEAK", "LOCAL"
    section: str  # "UND": imported
    imported: bool  # another file defines it
    offset: int = 0  # bytes from its start to the address that was asked for
    file_offset: Optional[int] = None  # of its first byte in the file of the program, if that is known


class Function(NamedTuple):
    """Function that has the code at an address."""

    name: Optional[str]  # with the scopes around it
    linkage_name: Optional[str]  # the name that linkers see, if it is another one
    file: Optional[str]
    line: int  # 0 if unknown
    column: int  # 0 if unknown
    inlined: bool  # into the next one


class Place(NamedTuple):
    """What a build has at an address."""

    status: str  # "found", or why something is missing: "not_found", "no_segments", "no_line", "malformed", ...
    address: Optional[int]  # ELF virtual address, if known; of Client.symbols
    symbols: tuple  # the preferred one first; of Client.symbols
    functions: tuple = ()  # the innermost one first; of Client.symbolize
    detail: str = ""  # of the status, for people


class Step(NamedTuple):
    """A step of a plan: adds an offset, or reads a pointer, which is the next address. The other one is None."""

    offset: int
    pointer_size: int


class Plan(NamedTuple):
    """The way from the address of a variable, or of an object of a type, to a value.

    The bits of a bit-field count in memory order from where the steps lead to. The first offset for a thread-local variable
    counts from the start of the block of its module. A byte order is one that is not the build's. What is unknown or does
    not apply is None."""

    steps: tuple
    size: int
    bit_offset: int
    bit_size: int
    signed: bool
    symbol: str
    address: int
    thread_local: bool
    byte_order: Optional[str] = None  # "big" or "little"


class Tls(NamedTuple):
    """Segment of thread-local variables (PT_TLS)."""

    address: int
    memory_size: int
    alignment: int


class Missing(NamedTuple):
    """Item that a build lacks, or a group of alternatives, each of which lacks one of the items."""

    item: Optional[str]
    status: Optional[str]
    group: Optional[str] = None
    items: tuple = ()
    need: Optional[str] = None  # "required" or "optional", in a Coverage

    def __str__(self):
        return self.group or f"{self.item} ({self.status})"


class Coverage(NamedTuple):
    """How much of a type set a build has. A group counts as one item."""

    required_found: int
    required_of: int
    optional_found: int
    optional_of: int
    missing: tuple


class Value:
    """Answer for one item: found, exactly or by consensus, or missing with a status that says why.

    Numbers that are unknown are None; a missing item has no numbers at all.

    :ivar offset: in bytes from the start of the outermost type. None for bit-fields, whose place is not whole bytes
    :ivar size: in bytes; None for bit-fields
    :ivar bit_field: the BitField, or None
    :ivar number: value of an enumerator, or of a name of a name map. That of an enumeration of 8 bytes is its bits with a
        sign: ``& 0xFFFFFFFFFFFFFFFF`` if the enumeration has none
    :ivar symbols: the symbols that answer the item
    :ivar truncated: whether not all symbols are listed
    :ivar tls: the Tls of the item "tls", or None
    :ivar coverage: the Coverage of a type set, or None
    :ivar incomplete: whether a damaged part of the file, which was left out, may change the value
    :ivar plan: the Plan of a value behind pointers, or of a variable or a member of one, also of a name of a name map; or None
    :ivar detail: the JSON object of everything that is not a type or a member
    """

    def __init__(self, status, detail=None):
        self.status = status
        self.detail = detail
        self.offset = self.size = self.bit_field = self.number = self.tls = self.coverage = self.plan = None
        self.symbols = ()
        self.truncated = self.incomplete = False

    @property
    def found(self):
        """Whether the build has the item. A type set is found if the server knows it; Answer.covered says whether the build
        has it."""
        return self.status in ("found", "consensus")

    def missing(self, item):
        """Returns what the build lacks of the item, as Missing: for a type set, what it requires."""
        if not self.found:
            return [Missing(item, self.status)]
        if not item.startswith("@"):
            return []
        if self.coverage is None:
            return [Missing(item, "malformed")]
        missing = [m for m in self.coverage.missing if m.need == "required"]
        complete = self.coverage.required_found >= self.coverage.required_of
        return missing if missing or complete else [Missing(item, "malformed")]

    def __repr__(self):
        empty = (None, (), False)  # compared by identity: 0 is a value
        shown = {name: value for name, value in vars(self).items() if not any(value is e for e in empty) and name != "detail"}
        return f"Value({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def _is_count(number):
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def _number(value):
    """Returns a JSON number, or that of a string in hex, which may have 64 bits; None for anything else."""
    if isinstance(value, str):
        number = int(value, 16)
        return number - (1 << 64) if number >= 1 << 63 else number
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _missing(entry):
    items = tuple(map(_missing, entry.get("items", ())))
    return Missing(entry.get("item"), entry.get("status"), entry.get("group"), items, entry.get("need"))


def _symbol(entry):
    value = int(entry["value"], 16)
    names = ("size", "type", "binding", "section", "imported")
    place = int(entry["fileOffset"], 16) if "fileOffset" in entry else None
    fixed = (entry[name] for name in names)
    return Symbol(entry["name"], entry.get("version"), value, *fixed, entry.get("offset", 0), place)


def _function(entry):
    names = (entry["function"], entry.get("linkageName"), entry["file"])
    return Function(*names, entry["line"], entry["column"], entry["inlined"])


def places(answer):
    """Returns what is at each address of an answer."""
    reason = answer.get("problem", {}).get("detail", "")  # of all addresses
    found = {}
    for text, entry in answer["addresses"].items():
        address = int(entry["address"], 16) if "address" in entry else None
        symbols = tuple(map(_symbol, entry.get("symbols", ())))
        functions = tuple(map(_function, entry.get("frames", ())))
        found[text] = Place(entry["status"], address, symbols, functions, entry.get("detail", reason))
    return found


def _plan(entry):
    steps = entry.get("steps")
    bit_offset = entry.get("bitOffset")
    if steps is None:
        if not ("symbol" in entry or "address" in entry) or "offset" not in entry:
            return None
        steps = [{"offset": entry["offset"]}]
        bit_offset = None if bit_offset is None else bit_offset % 8
    address = int(entry["address"], 16) if "address" in entry else None
    return Plan(
        tuple(Step(step.get("offset"), step.get("pointerSize")) for step in steps),
        entry.get("size"),
        bit_offset,
        entry.get("bitSize"),
        entry.get("signed"),
        entry.get("symbol"),
        address,
        entry.get("threadLocal") is True,
        entry.get("byteOrder"),
    )


def _object(entry, found):
    status = found if "steps" in entry and "status" not in entry else entry["status"]  # plans of name maps have none
    value = Value(status, entry)
    if not value.found:
        return value
    value.number = _number(entry.get("value"))
    value.plan = _plan(entry)
    value.symbols = tuple(map(_symbol, entry.get("symbols", ())))
    value.truncated = entry.get("truncated") is True
    if "tls" in entry:
        tls = entry["tls"]
        value.tls = Tls(int(tls["address"], 16), tls["memorySize"], tls["alignment"])
    if "coverage" in entry:
        shares = [entry["coverage"][need][count] for need in ("required", "optional") for count in ("found", "of")]
        value.coverage = Coverage(*shares, tuple(map(_missing, entry["coverage"]["missing"])))
    return value


def _value(entry, found):
    """Returns the value that an entry of an answer stands for; "found" or "consensus" is the status of those without one."""
    value = Value("malformed")
    try:
        if isinstance(entry, dict):
            return _object(entry, found)
        if isinstance(entry, list):
            known = all(number is None or _is_count(number) for number in entry) and entry and entry[0] is not None
            if known and len(entry) == 2:
                value.offset, value.size = entry
                value.status = found
            elif known and len(entry) == 4 and None not in entry:
                value.bit_field = BitField(*entry)
                value.status = found
        else:
            value.number = _number(entry)
            if value.number is not None:
                value.status = found
    except (AttributeError, KeyError, TypeError, ValueError):
        return Value("malformed", entry)
    return value


def _incomplete(body):
    items = body.get("incompleteItems")
    return [item for item in items if isinstance(item, str)] if isinstance(items, list) else []


class Answer:
    """Values of a query, all from one source."""

    def __init__(self, body, source=None, problem=None):
        self.source = source
        self.problem = problem
        """Why the answer is not the server's, as an OffsetdError; None if it is."""
        self.arch = body.get("arch")
        self.complete = body.get("complete") is True
        self.stale = source is Source.CACHE or body.get("stale") is True
        consensus = body.get("consensus")
        self.consensus = consensus if isinstance(consensus, dict) else None
        """What the values rest on if they are not exact, as the server's JSON; None if they are."""
        self.map = body.get("map")
        found = "found" if self.consensus is None else "consensus"
        self.values = {item: _value(entry, found) for item, entry in body["offsets"].items()}
        for item in _incomplete(body):
            for name, value in self.values.items():
                value.incomplete |= name == item or name.startswith(item + ".")

    def __getitem__(self, item):
        """Returns the answer for an item, or for a name of a name map. Its status is "not_answered" if there is none."""
        return self.values.get(item) or Value("not_answered")

    def covered(self, *items):
        """Returns whether the answer has all of these items; for a type set, all that it requires.

        It decides on optional items that are of use only together.
        """
        return not any(self[item].missing(item) for item in items)


def parse(text, build_id):
    """Returns the JSON of an answer for a build, or None if the text is not one."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not is_answer(body) or (body.get("buildId") != build_id and not _keys.is_alias(build_id)):
        return None
    return body


def is_answer(body):
    """Returns whether JSON is an answer."""
    return isinstance(body, dict) and body.get("schemaVersion") == 1 and isinstance(body.get("offsets"), dict)
