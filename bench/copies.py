"""Copies a debug file with other build-ids, so that a server takes each for a build that it does not know.

    copies.py FILE BUILD-ID COUNT FOLDER

The first byte of the build-id of copy N is N, and its path is FOLDER/.build-id/XX/REST.debug. Prints the build-ids, one per
line.
"""

import mmap
import os
import shutil
import sys


def main():
    original, build_id, count, folder = sys.argv[1:]
    with open(original, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        place = content.find(bytes.fromhex(build_id))
    for number in range(1, int(count) + 1):
        first = f"{number:02x}"
        path = f"{folder}/.build-id/{first}/{build_id[2:]}.debug"
        os.makedirs(os.path.dirname(path))
        shutil.copyfile(original, path)
        with open(path, "r+b") as copy:
            copy.seek(place)
            copy.write(bytes([number]))
        print(first + build_id[2:])


main()
