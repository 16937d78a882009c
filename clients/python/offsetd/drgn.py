# SPDX-License-Identifier: Apache-2.0

"""Types of a drgn program from a server, without a debug file.

    prog = drgn.program_from_pid(os.getpid())
    offsetd.drgn.register(prog, offsetd.Client(server, cache), build_id)
    print(prog.type("struct malloc_state"))

Offsets, sizes, bit-fields, arrays, pointers and enumerators are those of the build. Types of members are looked up when
drgn asks for them. What the server does not describe is not invented: a member whose type cannot be expressed in drgn, or
is an unnamed type of a named member, has the right size and no members; members at
an offset that is known at run time only are left out; a type that the build only declares is incomplete. A typedef of a
struct is a typedef of an unnamed struct. References are pointers.
"""

import re

import drgn

_TAGS = {
    drgn.TypeKind.STRUCT: "struct",
    drgn.TypeKind.UNION: "union",
    drgn.TypeKind.CLASS: "class",
    drgn.TypeKind.ENUM: "enum",
    drgn.TypeKind.TYPEDEF: "typedef",
}
_BASES = (drgn.TypeKind.INT, drgn.TypeKind.BOOL, drgn.TypeKind.FLOAT)
_QUALIFIERS = {
    "const": drgn.Qualifiers.CONST,
    "volatile": drgn.Qualifiers.VOLATILE,
    "restrict": drgn.Qualifiers.RESTRICT,
    "_Atomic": drgn.Qualifiers.ATOMIC,
}
_FLOATS = re.compile(r"(long )?double|float|_Float\d+x?|f32|f64|float32|float64|__float128")
_UNSIGNED = re.compile(r"(.*\b)?unsigned\b.*|u\d+|usize|uint\d*|uintptr|byte|char(8|16|32)_t")


def register(prog, client, build_id, name="offsetd"):
    """Lets a program find types of a build. They take precedence over the types that it has.

    With drgn before 0.0.28, which has no named finders, the name is not used.
    """
    types = _Types(prog, client, build_id)

    def find(kinds, type_name, filename):
        if filename:
            return None  # the server does not search by source file
        for kind in kinds:
            found = types.find(kind, type_name)
            if found is not None:
                return found
        return None

    def find_or_raise(kind, type_name, filename):
        found = find((kind,), type_name, filename)
        if found is None:
            raise LookupError(type_name)
        return found

    if hasattr(prog, "register_type_finder"):
        prog.register_type_finder(name, lambda _, kinds, *rest: find(kinds, *rest), enable_index=0)
    else:
        prog.add_type_finder(find_or_raise)


class _Unparsed(Exception):
    """A declarator that C does not have."""


class _Types:
    def __init__(self, prog, client, build_id, is_reversed=False):
        self._prog = prog
        self._client = client
        self._build_id = build_id
        self._is_reversed = is_reversed
        self._reversed = None
        self._order = None
        self._pointer_size = None
        self._entries = {}
        self._types = {}

    def find(self, kind, name):
        """Returns the type, or None if the build has no type of this kind and name."""
        if kind in _TAGS:
            found = self._named(f"{_TAGS[kind]} {name}")
        elif kind in _BASES:
            found = self._named(name)
        else:
            return None
        return found if found is not None and found.kind == kind else None

    def _entry(self, item):
        if item not in self._entries:
            self._fetch([item])
        return self._entries[item]

    def _fetch(self, items):
        items = [item for item in dict.fromkeys(items) if item not in self._entries]
        for start in range(0, len(items), 500):
            part = items[start : start + 500]
            answer = self._client.ask(self._build_id, part, "members")
            arch = answer.get("arch") or {}
            self._order = arch.get("byteOrder", self._order)
            if self._is_reversed:
                self._order = "little" if self._order == "big" else "big"
            self._pointer_size = arch.get("bits", 64) // 8
            for item in part:
                self._entries[item] = answer["offsets"].get(item, {})

    def _named(self, item):
        """Returns the type that answers an item, or None."""
        if item not in self._types:
            entry = self._entry(item)
            if entry.get("status") == "found":
                self._types[item] = self._make(item, entry)
            elif entry.get("status") == "declaration_only":
                tag, _, name = item.partition(" ")
                incomplete = getattr(self._prog, f"{tag}_type", None) if tag != "typedef" else None
                self._types[item] = incomplete and incomplete(name)
            else:
                self._types[item] = None
        return self._types[item]

    def _make(self, item, entry):
        kind, size = entry["kind"], entry.get("size")
        word, _, name = item.partition(" ")
        if word not in _TAGS.values():
            word, name = kind, item
        if kind == "base":
            return self._base(item, size)
        if kind == "typedef":
            return self._prog.typedef_type(name, self._type(entry.get("type"), size))
        if kind not in ("struct", "union", "class", "enum"):
            return None
        alias = entry.get("via") == "typedef"
        tag = None if alias else name
        made = self._enum(tag, size, entry) if kind == "enum" else self._compound(kind, tag, size, entry.get("members", []), 0)
        return self._prog.typedef_type(name, made) if alias else made

    def _base(self, name, size):
        if name in ("_Bool", "bool"):
            return self._prog.bool_type(name, size, self._order)
        if _FLOATS.fullmatch(name):
            return self._prog.float_type(name, size, self._order)
        return self._prog.int_type(name, size, not _UNSIGNED.fullmatch(name), self._order)

    def _enum(self, tag, size, entry):
        # 64-bit values are hex strings; values that 64 bits cannot represent are null.
        values = [(e["name"], e["value"]) for e in entry.get("enumerators", []) if e["value"] is not None]
        values = [(name, int(value, 16) if isinstance(value, str) else value) for name, value in values]
        signed = any(value < 0 for _, value in values)
        word = {1: "char", 2: "short", 4: "int", 8: "long"}.get(size, "int")
        base = self._prog.int_type(word if signed else f"unsigned {word}", size, signed, self._order)
        return self._prog.enum_type(tag, base, [drgn.TypeEnumerator(*value) for value in values])

    def _compound(self, kind, tag, size, members, start):
        """Returns a struct, union or class; start is its offset in the outermost type, from which members count."""
        if size is None:
            return getattr(self._prog, f"{kind}_type")(tag)
        made = [
            self._member(member, start)
            for member in members
            if not member.get("padding") and "offset" in member  # no offset: known at run time only
        ]
        return getattr(self._prog, f"{kind}_type")(tag, size, made)

    def _of_order(self, order):
        """Returns the types whose numbers have a byte order; None for that of the build."""
        if order in (None, self._order):
            return self
        if self._reversed is None:
            self._reversed = _Types(self._prog, self._client, self._build_id, not self._is_reversed)
        return self._reversed

    def _member(self, member, start):
        types = self._of_order(member.get("byteOrder"))

        def value():
            if member.get("members") is not None and member.get("name") is None and not member.get("base"):
                return self._compound(member["kind"], None, member.get("size"), member["members"], member["offset"])
            if "bitSize" not in member:
                return types._type(member.get("type"), member.get("size"))
            storage = types._type(member.get("type"), member.get("storageSize", member.get("size")))
            return drgn.Object(self._prog, storage, bit_field_size=member["bitSize"])

        bit_offset = member.get("bitOffset", member["offset"] * 8) - start * 8
        return drgn.TypeMember(value, member.get("name"), bit_offset)

    def _opaque(self, text, size):
        if size is None:
            return self._prog.void_type()
        kind, _, name = (text or "unknown").rpartition(" ")
        unnamed = name == "{...}" and kind in ("struct", "union", "class")
        return getattr(self._prog, f"{kind if unnamed else 'struct'}_type")(None if unnamed else text, size, ())

    def _type(self, text, size):
        """Returns the type that a declarator names. The size serves for what the server cannot name."""
        try:
            return _Declarator(text or "", self).type(size)
        except _Unparsed:
            return self._opaque(text, size)

    def base(self, text, size):
        """Returns the type of a declarator without pointers, arrays and parameters."""
        qualifiers = drgn.Qualifiers(0)
        words = text.split(" ")
        while words and words[-1] in _QUALIFIERS:
            qualifiers |= _QUALIFIERS[words.pop()]
        while words and words[0] in _QUALIFIERS:
            qualifiers |= _QUALIFIERS[words.pop(0)]
        name = " ".join(words)
        if name == "void":
            found = self._prog.void_type()
        elif not name or name.endswith("{...}"):
            found = self._opaque(name, size)
        elif words[0] in _TAGS.values():
            found = self._named(name) or getattr(self._prog, f"{words[0]}_type")(name.partition(" ")[2])
        else:
            # A name without a keyword is a typedef in C, and may be a class elsewhere.
            self._fetch([f"typedef {name}", name])
            found = self._named(f"typedef {name}") or self._named(name) or self._opaque(name, size)
        return found.qualified(found.qualifiers | qualifiers)

    def pointer(self, target, qualifiers):
        return self._prog.pointer_type(target, self._pointer_size, self._order, qualifiers=qualifiers)

    def array(self, element, length):
        return self._prog.array_type(element, length)

    def function(self, result, parameters, variadic):
        return self._prog.function_type(result, [drgn.TypeParameter(p) for p in parameters], variadic)


class _Declarator:
    """Parser of an abstract declarator of C, such as "int (*)[5]"."""

    def __init__(self, text, types):
        self._types = types
        depth = 0
        for end, character in enumerate(text):
            if character in "*&([" and depth == 0:
                break
            depth += (character in "<{") - (character in ">}")
        else:
            end = len(text)
        self._base = text[:end].strip()
        self._text = text[end:].strip()

    def type(self, size):
        scalar = not self._text
        declared = self._types.base(self._base, size if scalar else None)
        position, wrap = self._abstract(self._text, 0)
        if self._text[position:].strip():
            raise _Unparsed
        return wrap(declared)

    def _abstract(self, text, at):
        """Parses from a position; returns the next one and a function from the innermost type to the whole."""
        pointers = []
        while True:
            while at < len(text) and text[at] == " ":
                at += 1
            word = re.compile(r"const|volatile|restrict|_Atomic").match(text, at)
            if at < len(text) and text[at] in "*&":
                pointers.append(drgn.Qualifiers(0))
                at += 2 if text.startswith("&&", at) else 1
            elif word and pointers:
                pointers[-1] |= _QUALIFIERS[word.group()]
                at = word.end()
            else:
                break
        inner = None
        if text.startswith("(", at) and re.compile(r"\(\s*[*&(\[]").match(text, at):
            at, inner = self._abstract(text, at + 1)
            if not text.startswith(")", at):
                raise _Unparsed
            at += 1
        suffixes = []
        while at < len(text) and text[at] in "[(":
            end = _closing(text, at)
            suffixes.append(text[at:end])
            at = end

        def wrap(declared):
            for qualifiers in pointers:
                declared = self._types.pointer(declared, qualifiers)
            for suffix in reversed(suffixes):
                declared = self._suffixed(declared, suffix)
            return inner(declared) if inner else declared

        return at, wrap

    def _suffixed(self, declared, suffix):
        content = suffix[1:-1].strip()
        if suffix[0] == "[":
            if content and not content.isdigit():
                raise _Unparsed
            return self._types.array(declared, int(content) if content else None)
        parameters = [] if content in ("", "void") else _split(content)
        variadic = bool(parameters) and parameters[-1] == "..."
        parameters = parameters[:-1] if variadic else parameters
        return self._types.function(declared, [_Declarator(p, self._types).type(None) for p in parameters], variadic)


def _closing(text, at):
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] in "([") - (text[end] in ")]")
        if depth == 0:
            return end + 1
    raise _Unparsed


def _split(text):
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([<{") - (character in ")]>}")
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]
