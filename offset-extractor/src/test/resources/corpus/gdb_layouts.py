# Prints what GDB knows of types: KIND NAME, size, and MEMBER,BITOFFSET,BITSIZE,SIZE or ENUMERATOR,VALUE of each part.
# The variable $types names a file with a type (struct list_head) on each line. Types that GDB does not find are left out.
import gdb


def part(type_, field):
    if type_.code == gdb.TYPE_CODE_ENUM:
        return "%s,%d" % (field.name, (field.enumval + 2**63) % 2**64 - 2**63)
    return "%s,%d,%s,%d" % (field.name or "", field.bitpos, field.bitsize or "", field.type.sizeof)


for line in open(gdb.convenience_variable("types").string()):
    name = line.strip()
    try:
        type_ = gdb.lookup_type(name)
    except gdb.error:
        continue
    print(name, type_.sizeof, "|".join(part(type_, field) for field in type_.fields()), sep="\t")
