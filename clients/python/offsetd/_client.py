# SPDX-License-Identifier: Apache-2.0

"""Requests, retries, and the order of the sources of an answer."""

import dataclasses
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from typing import Optional, Sequence

from offsetd import _keys
from offsetd._answer import Answer, Missing, Source, is_answer, parse, places
from offsetd._cache import Cache
from offsetd._errors import OffsetdError, Reason, not_covered, problem

# Longer URLs than this are refused by some proxies; the items go into a body then.
_LONGEST_URL = 4000

# Queries that the server takes at once.
_BATCH_SIZE = 50
_MAX_FRAMES = 10_000  # the server takes so many at once
_MAX_BUILDS = 200

_GRACE = 2.0  # seconds for responses beyond the wait that the server was asked for
_FIRST_DELAY = 1.0
_LONGEST_DELAY = 300.0


@dataclasses.dataclass(frozen=True)
class Program:
    """What the caller knows of a program. Empty parts are not stated.

    :ivar name: runtime: "ruby"
    :ivar version: version of the runtime, as complete as the fallback table has it: "3.4.5"
    :ivar machine: as uname -m prints it: "x86_64"
    :ivar tokens: variant of the runtime, for a consensus only: "ruby.yjit=yes"
    """

    name: str = ""
    version: str = ""
    machine: str = ""
    tokens: Sequence[str] = ()


@dataclasses.dataclass(frozen=True)
class Query:
    """Items of one build. Client.offsets describes the fields."""

    build_id: str
    items: Sequence[str]
    optional: Sequence[str] = ()
    name_map: Optional[str] = None
    program: Program = Program()
    consensus: bool = False


class _Task:
    """A query in the spelling that the server uses, and what the cache has of it."""

    def __init__(self, query, cache, view="flat"):
        self.build_id = _keys.canonical(query.build_id)
        self.query = query
        self.items = [*query.items] if query.name_map else [*query.items, *query.optional]
        if isinstance(query.items, str) or not query.items:
            raise ValueError("items: expected a list of items")
        if query.name_map and (len(self.items) != 1 or not self.items[0].startswith("@")):
            raise ValueError("a name map is of one item, a type set")
        self.view = {"map": query.name_map, "view": "map"} if query.name_map else {"view": view}
        self.claims = _claims(query.program) if query.consensus else {}
        # The order of the parameters is that of all clients.
        self.key = f"/v1/offsets/{self.build_id}?" + urllib.parse.urlencode(
            [*sorted([("types", ",".join(self.items)), *self.view.items()]), *self.claims.items()]
        )
        self.etag, stored = cache.read(self.key) or ("", b"")
        self.old = parse(stored, self.build_id)

    def missing(self, body):
        """Returns what an answer lacks of the required items."""
        answer = Answer(body)
        if not self.query.name_map:
            return [missing for item in self.query.items for missing in answer[item].missing(item)]
        named = answer.map if isinstance(answer.map, dict) else {}
        if named.get("name") != self.query.name_map or f"@{named.get('set')}" != self.items[0]:
            return [Missing(self.items[0], "not_answered")]
        required = sorted(answer.values.keys() - set(self.query.optional))
        return [Missing(name, answer[name].status) for name in required if not answer[name].found]

    def end(self, wait):
        """Returns when to stop waiting for the server: at once if the cache has an answer."""
        return time.monotonic() + (0 if self.old and not self.missing(self.old) else wait)

    def request(self):
        if len(self.key) <= _LONGEST_URL:
            return self.key, None, self.etag if self.old else ""
        parameters = urllib.parse.urlencode({**self.view, **self.claims})
        return f"/v1/offsets/{self.build_id}?{parameters}", self.items, ""

    def batched(self):
        etag = {"ifNoneMatch": self.etag} if self.old and self.etag else {}
        return {"buildId": self.build_id, "types": self.items, **self.view, **self.claims, **etag}


def _claims(program):
    """Returns the parameters of a request that accepts a consensus, in an order that all clients share."""
    stated = {
        "name": program.name,
        "version": program.version,
        "machine": program.machine,
        "tokens": ",".join(program.tokens),
    }
    return {"fallback": "consensus", **{name: value for name, value in stated.items() if value}}


def _lacks(missing):
    """Returns whether the build is known not to have one of these.

    It is not if something hides it, such as missing debug information.
    """
    return any(m.status in ("type_not_found", "field_not_found") or _lacks(m.items) for m in missing)


def _table(fallback):
    """Returns the checked table of answers by build-id, or by runtime, version and machine."""
    table = {}
    for name, body in (fallback or {}).items():
        if not is_answer(body):
            raise ValueError(f"fallback {name!r} is not an answer of schema version 1")
        if "consensus" in body:
            raise ValueError(f"fallback {name!r} is a consensus: its values are those of other builds")
        try:
            build_id = _keys.canonical(name)
        except ValueError:
            build_id = None
        if build_id:
            if body.get("buildId") != build_id and not _keys.is_alias(build_id):
                raise ValueError(f"fallback {name!r} is the answer for build {body.get('buildId')!r}")
            table[build_id] = body
            continue
        parts = name.split(" ")
        if len(parts) != 3:
            raise ValueError(
                f'fallback {name!r}: expected a build-id, or runtime, version and machine: "ruby 3.4.5 x86_64"'
            )
        arch = body.get("arch")
        machine = arch.get("machine") if isinstance(arch, dict) else None
        if machine != parts[2]:
            raise ValueError(f"fallback {name!r} is the answer for machine {machine!r}")
        if "pinned" in body:
            raise ValueError(f"fallback {name!r} has pinned values, which are of one build")
        if "map" in body:
            raise ValueError(f"fallback {name!r} has a name map: addresses among its values differ between builds of one version")
        for item, value in Answer(body).values.items():
            if value.tls or value.symbols or (value.plan and (value.plan.symbol or value.plan.address)):
                raise ValueError(f"fallback {name!r} has {item!r}: addresses differ between builds of one version")
        table[name] = body
    return table


def _seconds(text):
    """Returns the seconds of a Retry-After header, or None; its other form, a date, is not read."""
    return float(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Reports a redirect as a failure: following it could carry the token to another server."""

    def redirect_request(self, *_):
        return None


def _checked(server):
    """Returns the URL of a server without a slash at its end."""
    try:
        url = urllib.parse.urlsplit(server)
        valid = url.scheme in ("http", "https") and url.hostname and url.username is None and url.port != -1
    except ValueError:
        valid = False
    if not valid or any(c in "?# " or not c.isprintable() for c in server):
        raise ValueError(f"server {server!r}: expected http:// or https://, a host, and a port or path if there is one")
    return server.rstrip("/")


class Client:
    """Client of one server. Threads may share it."""

    def __init__(self, server, cache_dir, fallback=None, *, token=None, wait=2.0, max_response=8 << 20, max_cache=64 << 20):
        """
        :param server: URL, with the path prefix of a proxy if there is one
        :param cache_dir: folder of the cache; is created
        :param fallback: answers by build-id, or by runtime, version and machine, such as "ruby 3.4.5 x86_64"
        :param token: with scope "read", if the server requires one
        :param wait: seconds that a call may wait for a build that is being fetched, or for a busy server
        :param max_response: bytes of the largest response to accept
        :param max_cache: bytes of all files of the cache
        :raises ValueError: if one of them cannot be right
        """
        self._server = _checked(server)
        if token and not all("!" <= character <= "~" for character in token):
            raise ValueError("the token has a space, a line end or a character beyond ASCII")
        self._cache = Cache(cache_dir, max_cache)
        self._table = _table(fallback)
        self._token = token
        self._wait = wait
        self._max_response = max_response
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._lock = threading.Lock()
        self._failures = 0
        self._last = None  # why _not_before is in the future
        self._not_before = 0.0

    def offsets(self, build_id, items, *, optional=(), name_map=None, program=Program(), consensus=False):
        """Returns an answer with every required item.

        :param build_id: GNU build-id or alias key
        :param items: required: without one of them there is no answer. For a type set, those that it requires
        :param optional: items that the caller can do without; with a name map, names of it
        :param name_map: the name map of the only item, a type set; the values are then under its names
        :param program: chooses the entry of the fallback table, and states the program for a consensus
        :param consensus: accept an answer by consensus of similar builds, which Answer.consensus describes
        :raises ValueError: if an argument cannot be right
        :raises OffsetdError: if no source has an answer
        """
        task = _Task(Query(build_id, items, optional, name_map, program, consensus), self._cache)
        return self._answer(task, self._exchange(*task.request(), task.end(self._wait)))

    def batch(self, queries):
        """Returns an Answer or an OffsetdError for each query, in their order. All builds are waited for together."""
        results = {}
        tasks = {}
        for i, query in enumerate(queries):
            try:
                tasks[i] = _Task(query, self._cache)
            except ValueError as e:
                results[i] = OffsetdError(Reason.BAD_REQUEST, str(e))
        end = max((task.end(self._wait) for task in tasks.values()), default=0)
        places = list(tasks)
        for start in range(0, len(places), _BATCH_SIZE):
            part = places[start : start + _BATCH_SIZE]
            results.update(zip(part, self._batch([tasks[i] for i in part], end)))
        return [results[i] for i in sorted(results)]

    def _batch(self, tasks, end):
        results = [None] * len(tasks)
        pending = range(len(tasks))
        while True:
            response = self._exchange("/v1/offsets", [tasks[i].batched() for i in pending], "", end)
            fetching = []
            pause = 0
            for i, reply in zip(pending, _replies(response, len(pending))):
                try:
                    results[i] = self._answer(tasks[i], reply)
                except OffsetdError as e:
                    results[i] = e
                failure = reply[2]
                cached = getattr(results[i], "source", None) is Source.CACHE
                if isinstance(failure, OffsetdError) and failure.reason is Reason.FETCHING and not cached:
                    fetching.append(i)
                    pause = max(pause, failure.retry_after or 0)
            if not fetching or not _sleep(_spread(pause), end):
                return results
            pending = fetching

    def symbols(self, frames, segments=None):
        """Returns a Place or an OffsetdError for each frame of a stack, in their order. All builds are waited for together.

        :param frames: pairs of a build-id in hex, None if only an instruction pointer is known, and an address: an int or
            "0x1234", or "file:0x1234" for an offset in the file of the program. For a return address, the byte before it,
            which is part of the call
        :param segments: loaded segments (PT_LOAD) of programs by build-id, each an (offset, vaddr, file size). A server that
            has only the debug file of a program needs them for offsets in its file
        """
        return self._places("/v1/symbols", frames, segments)

    def symbolize(self, frames, segments=None):
        """Returns the functions at frames, inlined ones too, with their files and lines, as symbols returns symbols."""
        return self._places("/v1/symbolize", frames, segments)

    def _places(self, target, frames, segments):
        end = time.monotonic() + self._wait
        segments = {build_id.lower(): _segments(listed) for build_id, listed in (segments or {}).items()}
        results = []
        builds = {}  # places in results by build-id
        count = 0
        for build_id, address in frames:
            if isinstance(address, int):
                address = hex(address)
            key = _frame_key(build_id, address)
            if isinstance(key, OffsetdError):
                results.append(key)
                continue
            if count == _MAX_FRAMES or (key not in builds and len(builds) == _MAX_BUILDS):
                self._locate(target, builds, segments, results, end)
                builds, count = {}, 0
            builds.setdefault(key, []).append(len(results))
            results.append(address)
            count += 1
        if builds:
            self._locate(target, builds, segments, results, end)
        return results

    def _locate(self, target, builds, segments, results, end):
        """Replaces addresses in the results by what is there."""
        listed = {build_id: segments[build_id] for build_id in builds if build_id in segments}
        if target == "/v1/symbols":
            pairs = [{"buildId": build_id, "address": results[i]} for build_id, at in builds.items() for i in at]
            content = {"queries": pairs, "segments": listed}
        else:
            content = [
                {"buildId": build_id, "addresses": [results[i] for i in at], "segments": listed.get(build_id, [])}
                for build_id, at in builds.items()
            ]
        response = self._exchange(target, content, "", end)
        for at, (_, _, body) in zip(builds.values(), _replies(response, len(builds))):
            try:
                found = body if isinstance(body, OffsetdError) else places(json.loads(body))
                located = [found if isinstance(found, OffsetdError) else found[results[i]] for i in at]
            except (AttributeError, KeyError, TypeError, ValueError):
                bad = OffsetdError(Reason.UNEXPECTED, "the response is not that to this batch", status=response[0])
                located = [bad] * len(at)
            for i, place in zip(at, located):
                results[i] = place

    def ask(self, build_id, items, view):
        """Returns the JSON of an answer in any view, from the server or the cache.

        :raises OffsetdError: if neither has an answer
        """
        task = _Task(Query(build_id, items), self._cache, view)
        status, etag, body = self._exchange(*task.request(), time.monotonic() + self._wait)
        found, _, failure = self._stored(task, status, etag, body)
        if found is None:
            raise failure
        return found

    def _answer(self, task, response):
        """Returns the answer from the first place that has one, if it has every required item."""
        body, source, failure = self._stored(task, *response)
        if body is not None:
            missing = task.missing(body)
            if not missing:
                return Answer(body, source, failure)
            failure = not_covered(missing)
            if _lacks(missing):  # what a similar build has says nothing
                raise failure
        program = task.query.program
        entry = self._table.get(task.build_id)
        if entry is None and program.name and program.version and program.machine:
            entry = self._table.get(f"{program.name} {program.version} {program.machine}")
        if entry is None or task.missing(entry):
            raise failure
        return Answer(entry, Source.FALLBACK, failure)

    def _stored(self, task, status, etag, body):
        """Returns the JSON of the answer that is in the cache now, its source, and why it is not the server's."""
        if status == 304 and task.old:
            return task.old, Source.REVALIDATED, None
        if status == 200 and not isinstance(body, OffsetdError):
            fresh = parse(body, task.build_id)
            if fresh:
                self._cache.write(task.key, etag, body)
                return fresh, Source.SERVER, None
        if not isinstance(body, OffsetdError):
            body = OffsetdError(Reason.UNEXPECTED, "the response is not an answer for this build", status=status)
        if body.reason is Reason.BAD_REQUEST:
            raise body
        return task.old, Source.CACHE, body

    def _exchange(self, target, content, etag, end):
        """Sends a request until there is a result or waiting is over; does not wait for a server that cannot be reached.

        Sends nothing when the responses to earlier parts of a batch have taken all of the time.

        Returns the status, the ETag and the body; the body is an OffsetdError unless the status is 200 or 304.
        """
        headers = {"Accept-Encoding": "gzip", "Accept": "application/json", "User-Agent": "offsetd-python/1"}
        data = None
        if content is not None:
            data = json.dumps(content).encode()
            headers["Content-Type"] = "application/json"
        if etag:
            headers["If-None-Match"] = etag
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        while True:
            pause = self._not_before - time.monotonic()
            if pause > 0 and not _sleep(pause, end):
                last = self._last
                detail = f"not asked again yet: {last.detail}"
                return 0, "", OffsetdError(last.reason, detail, status=last.status, code=last.code, retry_after=pause)
            left = end - time.monotonic()
            if left <= -_GRACE:
                return 0, "", OffsetdError(Reason.UNREACHABLE, "no time was left to ask for this part of the batch")
            headers["Prefer"] = f"wait={min(30, max(0, round(left)))}"
            response = self._once(urllib.request.Request(self._server + target, data, headers), left + _GRACE)
            failure = response[2]
            reason = failure.reason if isinstance(failure, OffsetdError) else None
            if reason is Reason.FETCHING or (reason and failure.of_source()):
                self._succeeded()
                pause = _spread(failure.retry_after or 0)
            elif reason is Reason.UNAVAILABLE:
                pause = self._failed(failure)
            elif reason is Reason.UNREACHABLE:
                self._failed(failure)
                return response
            else:
                self._succeeded()
                return response
            if not _sleep(pause, end):
                return response

    def _once(self, request, timeout):
        try:
            try:
                response = self._opener.open(request, timeout=timeout)
            except urllib.error.HTTPError as e:
                response = e
            with response:
                status, headers = response.status, response.headers
                body = self._read(response, time.monotonic() + timeout)
        except (OSError, http.client.HTTPException, zlib.error) as e:
            cause = getattr(e, "reason", e)
            return 0, "", OffsetdError(Reason.UNREACHABLE, str(cause) or type(cause).__name__)
        if body is None:
            body = OffsetdError(Reason.UNEXPECTED, f"the response has more than {self._max_response} bytes", status=status)
        elif status not in (200, 304):
            body = problem(status, body, _seconds(headers.get("Retry-After")))
        return status, headers.get("ETag", ""), body

    def _read(self, response, end):
        """Reads a response within a limit of time, also when it trickles in; None if it is too large, also decompressed."""
        decoder = zlib.decompressobj(31) if response.headers.get("Content-Encoding") == "gzip" else None
        body = b""
        while True:
            received = response.read1(65536)
            if not received:
                break
            body += decoder.decompress(received, self._max_response + 1) if decoder else received
            if len(body) > self._max_response:
                return None
            if time.monotonic() > end:
                raise TimeoutError("the response took too long")
        if decoder and not decoder.eof:
            raise zlib.error("the response ends too early")
        return body

    def _succeeded(self):
        with self._lock:
            self._failures = 0

    def _failed(self, why):
        """Returns how long no thread asks the server: exponential, with jitter, and at least as long as it demands."""
        with self._lock:
            delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(self._failures, 20)) * random.uniform(0.5, 1)
            delay = max(delay, min(why.retry_after or 0, _LONGEST_DELAY) * random.uniform(1, 1.25))
            self._failures += 1
            self._last = why
            self._not_before = max(self._not_before, time.monotonic() + delay)
            return self._not_before - time.monotonic()


def _segments(segments):
    names = ("offset", "vaddr", "fileSize")
    # The server takes numbers of up to 63 bits, and kernels have larger addresses.
    return [dict(zip(names, map(hex, segment))) for segment in segments]


def _frame_key(build_id, address):
    """Returns the build-id of a frame in the spelling that the server uses, or an OffsetdError."""
    if not isinstance(address, str):
        return OffsetdError(Reason.BAD_REQUEST, f'address {address!r}: expected an int, "0x1234" or "file:0x1234"')
    if build_id is None or (isinstance(build_id, str) and not build_id.strip("0")):
        detail = f"{address} is only an instruction pointer: the kernel found no build-id, or the memory is not that of a file"
        return OffsetdError(Reason.UNUSABLE, detail, code="no_build_id")
    try:
        return _keys.canonical(build_id)
    except ValueError as e:
        return OffsetdError(Reason.BAD_REQUEST, str(e))


def _replies(response, count):
    """Returns the response to each query of a batch."""
    if isinstance(response[2], OffsetdError):
        return [response] * count
    try:
        answers = json.loads(response[2])["answers"]
        if len(answers) != count:
            raise ValueError
        return [_reply(answer) for answer in answers]
    except (KeyError, TypeError, ValueError, RecursionError):
        failure = OffsetdError(Reason.UNEXPECTED, "the response is not that to this batch", status=response[0])
        return [(0, "", failure)] * count


def _reply(answer):
    status, etag = answer["status"], answer.get("etag", "")
    if status == 304:
        return status, etag, b""
    if status == 200:
        return status, etag, json.dumps(answer["answer"], ensure_ascii=False, separators=(",", ":")).encode()
    return status, etag, problem(status, json.dumps(answer.get("problem")), answer.get("retryAfter"))


def _spread(pause):
    """Returns a pause that differs between clients and is at least as long as demanded."""
    return max(0.1, pause) * random.uniform(1, 1.25)


def _sleep(pause, end):
    """Returns whether the pause ended before the given time."""
    if pause > end - time.monotonic():
        return False
    time.sleep(pause)
    return True
