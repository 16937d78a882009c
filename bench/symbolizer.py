"""Times requests for lines to a symbolizer that is running already.

    symbolizer.py FILE ADDRESSES RUNS

Sends all addresses of a file, one per line, to `llvm-symbolizer --inlines` through a pipe, and waits for the answer of
the last one; prints the median time of the runs in ms. The runs before the first timed one make it read the file.
"""

import statistics
import subprocess
import sys
import threading
import time

WARM_UP = 3
END = "0xffffffffffffff00"


def main():
    file, addresses, runs = sys.argv[1:]
    with open(addresses, encoding="ascii") as lines:
        # Its answer to the address after the last one tells that the others are answered.
        question = "".join(lines) + END + "\n"
    took = []
    with subprocess.Popen(
        ["llvm-symbolizer", "--inlines", "--output-style=JSON", f"--obj={file}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as symbolizer:
        for run in range(-WARM_UP, int(runs)):
            start = time.monotonic()
            sender = threading.Thread(target=send, args=(symbolizer.stdin, question))
            sender.start()
            for line in symbolizer.stdout:
                if f'"Address":"{END}"' in line:
                    break
            sender.join()
            if run >= 0:
                took.append((time.monotonic() - start) * 1000)
        symbolizer.stdin.close()
    print(f"{statistics.median(took):.1f}")


def send(pipe, text):
    pipe.write(text)
    pipe.flush()


main()
