# Compares the types that drgn gets from a server with those that it reads from the file itself.
# Arguments: URL, build-id, cache folder, the file. Prints what differs, then "compared" and the number of types.
import struct
import sys

import drgn

import offsetd
import offsetd.drgn

url, build_id, cache, file = sys.argv[1:]
own = drgn.Program()
own.load_debug_info([file])
served = drgn.Program(own.platform)
offsetd.drgn.register(served, offsetd.Client(url, cache, wait=30), build_id)

NAMES = [
    "struct list_head",
    "enum colour",
    "enum wide",
    "counter",
    "handler",
    "buffer",
    "unnamed",
    "struct inner",
    "struct outer",
    "union either",
    "unsigned long",
    "_Bool",
    "double",
]


def facts(type_):
    complete = type_.kind != drgn.TypeKind.FUNCTION and type_.is_complete() and type_.kind != drgn.TypeKind.VOID
    while type_.kind == drgn.TypeKind.TYPEDEF:
        type_ = type_.type
    flexible = type_.kind == drgn.TypeKind.ARRAY and type_.length is None
    members = [
        (m.name, m.bit_offset, m.bit_field_size, str(m.type.type_name()), facts(m.type)[:1])
        for m in getattr(type_, "members", None) or ()
    ] if type_.kind in (drgn.TypeKind.STRUCT, drgn.TypeKind.UNION) else []
    return (drgn.sizeof(type_) if complete and not flexible else None, members)


for name in NAMES:
    expected, found = own.type(name), served.type(name)
    if str(found) != str(expected) or facts(found) != facts(expected):
        print(name, found, facts(found), "expected", expected, facts(expected))
print("compared", len(NAMES))

outer = served.type("struct outer")
assert drgn.offsetof(outer, "in[1][2].name") == drgn.offsetof(own.type("struct outer"), "in[1][2].name")
assert not outer.member("hidden").type.type.is_complete(), "a type that is only declared"
# The server does not list the members of an unnamed type of a named member.
named = served.type("struct holder").member("named").type
assert (drgn.sizeof(named), len(named.members)) == (2, 0), named
for absent in ("struct nothing", "nothing_t", "union list_head"):
    try:
        served.type(absent)
        print(absent, "was found")
    except LookupError:
        pass

def bytes_at(address, size):
    """Returns what the file has at an address. ELF64 header: e_phoff, e_phentsize, e_phnum; program header: gABI, 7."""
    with open(file, "rb") as elf:
        image = elf.read()
    order = "<" if image[5] == 1 else ">"
    table, entry_size, count = struct.unpack_from(order + "Q14xHH", image, 32)
    for at in range(table, table + count * entry_size, entry_size):
        kind, _, offset, start, _, filled = struct.unpack_from(order + "IIQQQQ", image, at)
        if kind == 1 and start <= address and address + size <= start + filled:
            return image[offset + address - start :][:size]
    raise ValueError(f"nothing at {address:x}")


# drgn itself takes the order of the program for all members.
type_ = served.type("struct reversed")
content = bytes_at(own.symbol("reversed").address, drgn.sizeof(type_))
served.add_memory_segment(0x1000, len(content), lambda address, count, offset, physical: content[offset : offset + count])
value = drgn.Object(served, type_, address=0x1000).value_()
expected = {"row": [5, 6, -7], "s": 0x1234, "low": 21, "high": 1000, "d": 1.5, "count": 0x123456789, "colour": 5, "pointer": 0}
if value != expected:
    print(value, "expected", expected)

unreachable = drgn.Program(own.platform)
offsetd.drgn.register(unreachable, offsetd.Client("http://127.0.0.1:9", cache + "-empty", wait=0.1), build_id)
try:
    unreachable.type("struct inner")
    print("an unreachable server answered")
except offsetd.OffsetdError:
    pass
