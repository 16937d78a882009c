#!/usr/bin/env python3
"""offsets.py URL BUILD-ID CACHE-FOLDER: prints the source of the values, then each value."""

import json
import os
import pathlib
import sys

import offsetd

# name, item, attribute, maximum of the field in the eBPF program
FIELDS = [
    ("ec_vm_stack", "rb_execution_context_struct.vm_stack", "offset", 0xFF),
    ("ec_cfp", "rb_execution_context_struct.cfp", "offset", 0xFF),
    ("cfp_size", "rb_control_frame_struct", "size", 0xFF),
    ("iseq_body", "rb_iseq_struct.body", "offset", 0xFF),
    ("vm_objspace", "rb_vm_struct.gc.objspace|rb_vm_struct.objspace", "offset", 0xFFFF),
]
VERSION = "ruby 3.4"  # the agent knows it from the name of the file


def value(answer, item, attribute, most):
    """Returns the answer's value of a field, or None if the build lacks it or it does not fit."""
    found = answer[item]
    number = getattr(found, attribute)
    return number if number is not None and number <= most and found.bit_size is None else None


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: offsets.py URL BUILD-ID CACHE-FOLDER")
    server, build_id, cache = sys.argv[1:]
    fallback = json.loads(pathlib.Path(__file__).with_name("fallback.json").read_text())
    client = offsetd.Client(server, cache, fallback, token=os.environ.get("OFFSETD_TOKEN"), wait=1)
    answer = client.offsets(build_id, [item for _, item, _, _ in FIELDS], VERSION)
    if answer.problem:
        print(answer.problem, file=sys.stderr)
    table = client.fallback(build_id, VERSION)
    print(answer.source.value)
    for name, *field in FIELDS:
        number = value(answer, *field)
        if number is None or answer.source is offsetd.Source.FALLBACK:
            print(name, value(table, *field), "fallback")
        else:
            print(name, number)


main()
