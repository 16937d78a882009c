#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds functions and lines to OpenTelemetry profiles, from an offsetd server.

usage: otlp-frames.py URL < profiles.json > symbolized.json

Reads and writes OTLP/JSON, one message per line, as the collector's file exporter writes it. A location is looked up if it
has an address, no line, and a mapping with the GNU build-id of its file. The addresses are those in the file, and those of
callers are inside the call, as opentelemetry-ebpf-profiler sends them. OFFSETD_TOKEN is a token with the scope read.
"""

import json
import os
import sys
import urllib.request

BUILD_ID = "process.executable.build_id.gnu"
MOST_BUILDS = 200
MOST_ADDRESSES = 10_000


def build_ids(dictionary):
    """Returns the build-id of each mapping; None if it has none."""
    strings = dictionary["stringTable"]
    attributes = dictionary.get("attributeTable", [])
    for mapping in dictionary.get("mappingTable", []):
        named = {
            strings[attributes[index].get("keyStrindex", 0)]: attributes[index].get("value", {})
            for index in mapping.get("attributeIndices", [])
        }
        yield named.get(BUILD_ID, {}).get("stringValue")


def batches(wanted):
    """Splits (build-id, address) pairs into bodies of requests."""
    batch = {}
    count = 0
    for build, address in wanted:
        if count == MOST_ADDRESSES or (build not in batch and len(batch) == MOST_BUILDS):
            yield batch
            batch, count = {}, 0
        batch.setdefault(build, []).append(address)
        count += 1
    if batch:
        yield batch


def look_up(server, wanted):
    """Returns the frames of (build-id, address) pairs, the innermost first."""
    found = {}
    for batch in batches(wanted):
        headers = {"Content-Type": "application/json", "Prefer": "wait=30"}
        if os.environ.get("OFFSETD_TOKEN"):
            headers["Authorization"] = "Bearer " + os.environ["OFFSETD_TOKEN"]
        body = [{"buildId": build, "addresses": addresses} for build, addresses in batch.items()]
        request = urllib.request.Request(server + "/v1/symbolize", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            answers = json.load(response)["answers"]
        for entry in answers:
            for address, result in entry.get("answer", {}).get("addresses", {}).items():
                found[entry["buildId"], address] = result.get("frames", [])
    return found


def symbolize(message, server):
    dictionary = message.get("dictionary", {})
    builds = list(build_ids(dictionary)) if "stringTable" in dictionary else []
    places = {}
    for location in dictionary.get("locationTable", []):
        mapping = location.get("mappingIndex", 0)
        build = builds[mapping] if mapping < len(builds) else None
        if build and location.get("address") and not location.get("lines"):
            places.setdefault((build, hex(int(location["address"]))), []).append(location)
    strings = {text: index for index, text in enumerate(dictionary.get("stringTable", []))}
    functions = dictionary.setdefault("functionTable", [{}]) if places else []
    known = {}

    def string(text):
        if text not in strings:
            strings[text] = len(strings)
            dictionary["stringTable"].append(text)
        return strings[text]

    def function(frame):
        key = (frame.get("linkageName") or frame.get("function") or "", frame.get("file") or "")
        if key not in known:
            known[key] = len(functions)
            functions.append(
                {
                    "nameStrindex": string(frame.get("function") or key[0]),
                    "systemNameStrindex": string(key[0]),
                    "filenameStrindex": string(key[1]),
                }
            )
        return known[key]

    for place, frames in look_up(server, sorted(places)).items():
        lines = [
            {"functionIndex": function(frame), "line": str(frame.get("line", 0)), "column": str(frame.get("column", 0))}
            for frame in frames
        ]
        if lines:
            for location in places[place]:
                location["lines"] = lines
    return message


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for message in sys.stdin:
        print(json.dumps(symbolize(json.loads(message), sys.argv[1].rstrip("/"))))


if __name__ == "__main__":
    main()
