"""Prints the layout of a type, read by drgn, in the format of bench/godwarf.

    /usr/bin/python3 drgn_types.py [--runs N [--warm-up N]] FILE 'struct NAME'

With --runs it repeatedly loads the debug information into a new program and finds the type. It prints the number of runs,
the minimum, median and maximum in ms, and the maximum RssAnon in KiB after a run. Debian package: python3-drgn.
"""

import argparse
import statistics
import time

import drgn


def find(path, name):
    program = drgn.Program()
    program.load_debug_info([path])
    return program.type(name)


def layout(found):
    yield f"{found.kind.name.lower()} {found.tag} {found.size}"
    for member in found.members or ():
        width = f":{member.bit_field_size}" if member.bit_field_size is not None else ""
        yield f"{member.name or '-'} {member.bit_offset}{width}"


def rss_anon():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))


def measure(path, name, warm_up, runs):
    millis = []
    peak = 0
    for run in range(warm_up + runs):
        start = time.perf_counter()
        found = find(path, name)
        anonymous = rss_anon()
        # The type holds the program: with it go the program's maps and memory, as offsetd's do within a run.
        del found
        if run >= warm_up:
            millis.append((time.perf_counter() - start) * 1000)
            peak = max(peak, anonymous)
    print(f"{runs} {min(millis):.2f} {statistics.median(millis):.2f} {max(millis):.2f} {peak}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--warm-up", type=int, default=0)
    parser.add_argument("file")
    parser.add_argument("type")
    arguments = parser.parse_args()
    if arguments.runs:
        measure(arguments.file, arguments.type, arguments.warm_up, arguments.runs)
    else:
        print("\n".join(layout(find(arguments.file, arguments.type))))


main()
