"""Runs a command once and prints its time or memory; discards its output.

    timed.py [--memory] --limit SECONDS COMMAND [ARGUMENT...]

Prints the wall and CPU time in ms. With --memory it prints the maxima of VmHWM and RssAnon in KiB instead, sampled about
a thousand times a second; sampling takes time, so a run measures one or the other. Exits with 124 if the command exceeds
the limit, else with the command's exit code.
"""

import argparse
import resource
import subprocess
import sys
import threading
import time

LIMIT_EXCEEDED = 124


def watch(process, deadline):
    """The peaks of VmHWM and RssAnon in KiB."""
    peaks = {"VmHWM:": 0, "RssAnon:": 0}
    while process.poll() is None:
        if time.monotonic() > deadline:
            raise subprocess.TimeoutExpired(process.args, 0)
        with open(f"/proc/{process.pid}/status", encoding="utf-8", errors="replace") as status:
            for line in status:
                name, *value = line.split()
                # A process that has ended has no memory any more.
                if name in peaks:
                    peaks[name] = max(peaks[name], int(value[0]))
        time.sleep(0.001)
    return peaks["VmHWM:"], peaks["RssAnon:"]


def timed(process, start, limit):
    """The wall and CPU time in ms."""
    expired = threading.Event()

    def expire():
        expired.set()
        process.kill()

    # wait(timeout) looks every 50 ms only.
    timer = threading.Timer(limit, expire)
    timer.start()
    process.wait()
    wall = time.monotonic() - start
    timer.cancel()
    if expired.is_set():
        raise subprocess.TimeoutExpired(process.args, limit)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return f"{wall * 1000:.1f} {(used.ru_utime + used.ru_stime) * 1000:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--limit", type=float, required=True)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    start = time.monotonic()
    with subprocess.Popen(
        arguments.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            if arguments.memory:
                high, anonymous = watch(process, start + arguments.limit)
                figures = f"{high} {anonymous}"
            else:
                figures = timed(process, start, arguments.limit)
        except subprocess.TimeoutExpired:
            process.kill()
            return LIMIT_EXCEEDED
    if process.returncode == 0:
        print(figures)
    return process.returncode


sys.exit(main())
