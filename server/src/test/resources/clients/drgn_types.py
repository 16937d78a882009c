# Compares the types that drgn gets from a server with those that it reads from the file itself.
# Arguments: URL, build-id, cache folder, the file. Prints what differs, then "compared" and the number of types.
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

unreachable = drgn.Program(own.platform)
offsetd.drgn.register(unreachable, offsetd.Client("http://127.0.0.1:9", cache + "-empty", wait=0.1), build_id)
try:
    unreachable.type("struct inner")
    print("an unreachable server answered")
except offsetd.OffsetdError:
    pass
