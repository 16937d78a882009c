# Prints where drgn finds the parts of paths: for each path, the offset of each part between pointers, and the size of the last;
# of a bit-field at the end, both in bits. Arguments: the debug file, and a file with a path on each line, from a type (struct
# node.next->table[2].name) or from a variable (variable root.next). A path that drgn cannot follow is answered with ? and the
# reason.
import re
import sys

import drgn

STEP = re.compile(r"(?:->|\.)(\w+)|\[(\d+)\]")


def is_pointer(type_):
    while type_.kind == drgn.TypeKind.TYPEDEF:
        type_ = type_.type
    return type_.kind == drgn.TypeKind.POINTER


def is_open_array(type_):
    return type_.kind == drgn.TypeKind.ARRAY and type_.length is None


def numbers(program, path):
    root = re.match(r"\w+ \w+", path).group()
    kind, name = root.split()
    at = program.variable(name) if kind == "variable" else drgn.Object(program, program.type(root), address=0)
    if at.address_ is None:
        raise LookupError("value not located in memory")
    for name, index in STEP.findall(path, len(root)):
        if is_pointer(at.type_):
            yield at.address_
            at = drgn.Object(program, at.type_, value=0)
        at = at.member_(name) if name else at[int(index)]
    if at.bit_field_size_ is not None:
        yield at.address_ * 8 + at.bit_offset_
        yield at.bit_field_size_
        return
    yield at.address_
    # As gdb has it: the array at the end of a struct has no size.
    yield 0 if is_open_array(at.type_) else drgn.sizeof(at)


program = drgn.Program()
try:
    program.load_debug_info([sys.argv[1]])
except drgn.MissingDebugInfoError:
    for line in open(sys.argv[2]):
        print("? the file cannot be read")
    sys.exit()
for line in open(sys.argv[2]):
    try:
        print(*numbers(program, line.strip()))
    except Exception as problem:
        print("?", problem)
