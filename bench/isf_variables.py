"""Program for gdb: prints what it knows of some names of a file, for isf_compare.py.

Reads the names from the JSON file that the environment variable ISF_NAMES names, and writes to the one of ISF_ANSWERS.
"""

import json
import os

import gdb

AGGREGATES = {gdb.TYPE_CODE_STRUCT: "struct", gdb.TYPE_CODE_UNION: "union"}


def shape(type_):
    """A type as isf_compare.py describes one: without names, whose rules differ between the tools."""
    type_ = type_.strip_typedefs()
    if type_.code == gdb.TYPE_CODE_ARRAY:
        low, high = type_.range()
        count = high - low + 1 if type_.dynamic is False or high >= low else 0
        return ["array", max(count, 0), shape(type_.target())]
    if type_.code == gdb.TYPE_CODE_PTR:
        return ["pointer"]
    if type_.code == gdb.TYPE_CODE_FUNC:
        return ["function"]
    if type_.code in AGGREGATES:
        return [AGGREGATES[type_.code], type_.sizeof]
    return ["scalar", type_.sizeof]


def variable(symbol):
    try:
        return [int(symbol.value().address), shape(symbol.type)]
    except (gdb.error, TypeError):
        return None


def layout(type_):
    """The members of an aggregate or the constants of an enumeration, as text to compare."""
    type_ = type_.strip_typedefs()
    if type_.code == gdb.TYPE_CODE_ENUM:
        return [type_.sizeof, sorted((field.name, field.enumval) for field in type_.fields())]
    if type_.code not in AGGREGATES:
        return None
    fields = []
    for field in type_.fields():
        inner = layout(field.type) if field.type.strip_typedefs().code in AGGREGATES else shape(field.type)
        fields.append((field.name, field.bitpos, field.bitsize, inner))
    return [type_.sizeof, fields] if fields else None


def symbols(name, domain):
    found = list(gdb.lookup_static_symbols(name, domain))
    visible = gdb.lookup_global_symbol(name, domain)
    return found + ([visible] if visible else [])


with open(os.environ["ISF_NAMES"], encoding="utf-8") as file:
    names = json.load(file)
variables = {}
for name in names["symbols"]:
    places = [variable(symbol) for symbol in symbols(name, gdb.SYMBOL_VAR_DOMAIN) if symbol.is_variable]
    variables[name] = [place for place in places if place]
layouts = {}
for name in names["types"]:
    found = symbols(name, gdb.SYMBOL_STRUCT_DOMAIN) + [
        symbol for symbol in symbols(name, gdb.SYMBOL_VAR_DOMAIN) if symbol.addr_class == gdb.SYMBOL_LOC_TYPEDEF
    ]
    layouts[name] = len({json.dumps(known) for known in (layout(symbol.type) for symbol in found) if known})
with open(os.environ["ISF_ANSWERS"], "w", encoding="utf-8") as file:
    json.dump({"variables": variables, "layouts": layouts}, file)
