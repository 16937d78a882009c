#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""offsets.py URL BUILD-ID CACHE-FOLDER [RUNTIME VERSION MACHINE]: prints the source of the values, then each value."""

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


def main():
    if len(sys.argv) not in (4, 7):
        sys.exit("usage: offsets.py URL BUILD-ID CACHE-FOLDER [RUNTIME VERSION MACHINE]")
    server, build_id, cache, *program = sys.argv[1:]
    # Answers of real builds, for programs that the server does not answer for.
    fallback = json.loads(pathlib.Path(__file__).with_name("fallback.json").read_text())
    try:
        client = offsetd.Client(server, cache, fallback, token=os.environ.get("OFFSETD_TOKEN"), wait=1)
        items = [item for _, item, _, _ in FIELDS]
        answer = client.offsets(build_id, items, program=offsetd.Program(*program))
    except (offsetd.OffsetdError, ValueError) as e:
        sys.exit(str(e))
    if answer.problem:
        print(answer.problem, file=sys.stderr)
    lines = [answer.source.value]
    for name, item, attribute, most in FIELDS:
        number = getattr(answer[item], attribute)
        if number is None or number > most:
            sys.exit(f"{name}: {item} is {answer[item]}; the eBPF program needs a number up to {most}")
        lines.append(f"{name} {number}")
    print("\n".join(lines))


main()
