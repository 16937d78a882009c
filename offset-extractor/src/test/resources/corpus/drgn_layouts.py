# Prints what drgn knows of types: KIND NAME, size, and MEMBER,BITOFFSET,BITSIZE,SIZE or ENUMERATOR,VALUE of each part.
# Arguments: the debug file, and a file with a type (struct list_head) on each line. Types that drgn does not find are
# left out, and those with members that it cannot read.
import sys

import drgn


def size(type_):
    try:
        return drgn.sizeof(type_)
    except TypeError:
        # An incomplete type: an array without an end has no bytes of its own, anything else has no size.
        while type_.kind == drgn.TypeKind.TYPEDEF:
            type_ = type_.type
        return 0 if type_.kind == drgn.TypeKind.ARRAY else -1


def part(type_, member):
    if type_.kind == drgn.TypeKind.ENUM:
        return "%s,%d" % (member.name, (member.value + 2**63) % 2**64 - 2**63)
    bits = member.bit_field_size
    return "%s,%d,%s,%d" % (member.name or "", member.bit_offset, "" if bits is None else bits, size(member.type))


program = drgn.Program()
try:
    program.load_debug_info([sys.argv[1]])
except drgn.MissingDebugInfoError:
    # Such as sections compressed as before Go 1.19, and relocatable files with relocations that it does not know.
    sys.exit()
for line in open(sys.argv[2]):
    name = line.strip()
    try:
        type_ = program.type(name)
        parts = type_.enumerators if type_.kind == drgn.TypeKind.ENUM else type_.members
        if parts is not None:
            print(name, size(type_), "|".join(part(type_, member) for member in parts), sep="\t")
    except LookupError:
        pass
    except Exception as problem:
        # It reads no complex numbers, for one.
        if "unknown DWARF encoding" not in str(problem):
            raise
