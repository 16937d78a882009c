"""Compares the ISF of offsetd with that of dwarf2json, and explains each difference by gdb and readelf.

    isf_compare.py VMLINUX OFFSETD.json DWARF2JSON.json

Prints a table: what is compared, how much is equal, and each class of differences with its size. What no class explains is
listed, and the exit code is then 1. Unnamed types have other names in each file and are compared where they are used.
"""

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

UNNAMED = "unnamed_"

SEVERAL_LAYOUTS = "several types of one name: offsetd leaves them out, dwarf2json has the last"
DECLARED = "enumeration that is only declared: without constants in dwarf2json"
INLINE = "member of such a type: written out by offsetd"
UNDEFINED = "pointer to a type that neither file defines: another name"
UNSIGNED = "constants of 2^63 and more: negative in dwarf2json"
DECLARED_ARRAY = "array: length unknown to dwarf2json, that of gdb in offsetd"
OTHER_VARIABLE = "dwarf2json has the type of another variable, offsetd that of gdb at the address"
NO_VARIABLE = "function or label: dwarf2json has the type of a local variable"
NO_SYMBOL = "only in dwarf2json: variables and file names that are not symbols"
UNEXPLAINED = "UNEXPLAINED"


def described(document, type_):
    """A type with unnamed types replaced by their contents."""
    kind = type_["kind"]
    name = type_.get("name", "")
    if kind == "enum" and name.startswith(UNNAMED):
        enum = document["enums"][name]
        return (kind, enum["size"], tuple(sorted(enum["constants"].items())))
    if kind in ("struct", "union") and name.startswith(UNNAMED):
        return (kind,) + aggregate(document, document["user_types"][name])
    if kind == "array":
        return (kind, type_["count"], described(document, type_["subtype"]))
    if kind == "pointer":
        return (kind, described(document, type_["subtype"]))
    if kind == "bitfield":
        return (kind, type_["bit_position"], type_["bit_length"], described(document, type_["type"]))
    return (kind, name)


def aggregate(document, struct):
    return (
        struct["size"],
        tuple(
            sorted(
                (name, field["offset"], field.get("anonymous", False), described(document, field["type"]))
                for name, field in struct["fields"].items()
            )
        ),
    )


def shape(document, type_):
    """A type as isf_variables.py describes one."""
    kind = type_["kind"]
    if kind == "array":
        return ["array", type_["count"], shape(document, type_["subtype"])]
    if kind in ("pointer", "function"):
        return [kind]
    if kind in ("struct", "union"):
        return [kind, document["user_types"].get(type_["name"], {"size": 0})["size"]]
    return ["scalar", document["enums" if kind == "enum" else "base_types"][type_["name"]]["size"]]


def symbol_kinds(vmlinux):
    """The kinds of the symbols of each name."""
    kinds = collections.defaultdict(set)
    printed = subprocess.run(["readelf", "-sW", vmlinux], check=True, capture_output=True, text=True).stdout
    for line in printed.splitlines():
        columns = line.split()
        if len(columns) == 8 and columns[0][:-1].isdigit():
            kinds[columns[7]].add(columns[3])
    return kinds


def ask_gdb(vmlinux, symbols, types):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, ISF_NAMES=folder + "/names", ISF_ANSWERS=folder + "/answers")
        with open(environment["ISF_NAMES"], "w", encoding="utf-8") as file:
            json.dump({"symbols": sorted(symbols), "types": sorted(types)}, file)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "isf_variables.py")
        # Debian's gdb knows its own architecture only.
        gdb = shutil.which("gdb-multiarch") or "gdb"
        subprocess.run([gdb, "-nx", "-batch", "-x", script, vmlinux], check=True, env=environment, capture_output=True)
        with open(environment["ISF_ANSWERS"], encoding="utf-8") as file:
            return json.load(file)


def local_layouts(vmlinux, names):
    """The number of sizes that the structs of each name have, for structs in functions, which gdb does not list."""
    if not names:
        return {}
    found = "DW_AT_name .*: (" + "|".join(sorted(names)) + ")$"
    with subprocess.Popen(["readelf", "--debug-dump=info", vmlinux], stdout=subprocess.PIPE) as readelf:
        printed = subprocess.run(
            ["grep", "-aE", "-A1", found],
            stdin=readelf.stdout,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ, LC_ALL="C"),
        ).stdout
    sizes = collections.defaultdict(set)
    name = ""
    for line in printed.splitlines():
        if "DW_AT_name" in line:
            name = line.split(":")[-1].strip()
        elif "DW_AT_byte_size" in line:
            sizes[name].add(line.split(":")[-1].strip())
    return {name: len(known) for name, known in sizes.items()}


class Comparison:
    def __init__(self, vmlinux, ours, theirs):
        self.ours = ours
        self.theirs = theirs
        self.kinds = symbol_kinds(vmlinux)
        symbols = [name for name in self.both("symbols") if not self.same_symbol(name)]
        types = [name for part in ("user_types", "enums") for name in self.named(theirs, part)]
        absent = {name for name in types if name not in ours["user_types"] and name not in ours["enums"]}
        self.gdb = ask_gdb(vmlinux, symbols, absent)
        self.layouts = self.gdb["layouts"]
        local = {name for name in absent if name in theirs["user_types"] and self.layouts[name] < 2}
        self.layouts.update(local_layouts(vmlinux, local))

    @staticmethod
    def named(document, part):
        return {name for name in document[part] if not name.startswith(UNNAMED)}

    def both(self, part):
        return self.named(self.ours, part) & self.named(self.theirs, part)

    def ambiguous(self, name):
        return self.layouts.get(name, 0) > 1

    def type_of(self, document, name):
        return described(document, document["symbols"][name]["type"])

    def same_symbol(self, name):
        ours, theirs = self.ours["symbols"][name], self.theirs["symbols"][name]
        return ours["address"] == theirs["address"] and self.type_of(self.ours, name) == self.type_of(self.theirs, name)

    def missing(self, part, name):
        if part == "symbols":
            address = self.theirs[part][name]["address"]
            no_symbol = address == 0 or not name or not self.kinds.get(name, set()) - {"FILE", "SECTION"}
            return NO_SYMBOL if no_symbol else UNEXPLAINED
        if part == "enums" and self.theirs[part][name]["size"] == 0:
            return DECLARED
        return SEVERAL_LAYOUTS if self.ambiguous(name) else UNEXPLAINED

    def difference(self, part, name):
        if part == "symbols":
            return self.symbol_difference(name)
        ours, theirs = self.ours[part][name], self.theirs[part][name]
        if part == "enums":
            wrapped = {key: value % 2**64 for key, value in theirs["constants"].items()}
            return UNSIGNED if (ours["size"], ours["constants"]) == (theirs["size"], wrapped) else UNEXPLAINED
        if part == "user_types":
            return self.reference_difference(
                (ours["kind"],) + aggregate(self.ours, ours), (theirs["kind"],) + aggregate(self.theirs, theirs)
            )
        return UNEXPLAINED

    def reference_difference(self, ours, theirs):
        """Explains two described types that differ, by the first part that does."""
        if isinstance(theirs, tuple) and isinstance(ours, tuple) and ours != theirs:
            if ours[0] == theirs[0] and len(theirs) == 2 and isinstance(theirs[1], str):
                if len(ours) > 2 and self.ambiguous(theirs[1]):
                    return INLINE
                known = [name for name in (ours[1], theirs[1]) if name in self.theirs["user_types"]]
                return UNDEFINED if len(ours) == 2 and not known else UNEXPLAINED
            if len(ours) == len(theirs):
                parts = [(one, other) for one, other in zip(ours, theirs) if one != other]
                reasons = {self.reference_difference(one, other) for one, other in parts}
                return reasons.pop() if len(reasons) == 1 else UNEXPLAINED
        return UNEXPLAINED

    def symbol_difference(self, name):
        ours, theirs = self.ours["symbols"][name], self.theirs["symbols"][name]
        if ours["address"] != theirs["address"]:
            return UNEXPLAINED
        places = [known for address, known in self.gdb["variables"][name] if address == ours["address"]]
        if ours["type"] == {"kind": "base", "name": "void"}:
            return NO_VARIABLE if not places and self.kinds[name] else UNEXPLAINED
        mine = shape(self.ours, ours["type"])
        if mine not in places:
            return UNEXPLAINED
        inner = self.type_of(self.ours, name), self.type_of(self.theirs, name)
        if self.reference_difference(*inner) == INLINE:
            return INLINE
        unbounded = theirs["type"]["kind"] == "array" and theirs["type"]["count"] == 0
        return DECLARED_ARRAY if unbounded and mine[0] == "array" else OTHER_VARIABLE

    def equal(self, part, name):
        if part == "symbols":
            return self.same_symbol(name)
        ours, theirs = self.ours[part][name], self.theirs[part][name]
        if part == "user_types":
            return ours["kind"] == theirs["kind"] and aggregate(self.ours, ours) == aggregate(self.theirs, theirs)
        return ours == theirs

    def run(self):
        unexplained = []
        for part in ("base_types", "user_types", "enums", "symbols"):
            classes = collections.Counter()
            for name in sorted(self.named(self.theirs, part)):
                reason = self.missing(part, name)
                if name in self.ours[part]:
                    reason = "equal" if self.equal(part, name) else self.difference(part, name)
                classes[reason] += 1
                if reason == UNEXPLAINED:
                    unexplained.append(part + " " + name)
            unexplained += [part + " " + name for name in sorted(self.named(self.ours, part) - self.named(self.theirs, part))]
            for reason, count in classes.most_common():
                print(f"{part:<11} {count:>7}  {reason}")
        for each in unexplained:
            print("unexplained: " + each)
        return 1 if unexplained else 0


def main(vmlinux, ours, theirs):
    documents = []
    for path in (ours, theirs):
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    return Comparison(vmlinux, *documents).run()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
