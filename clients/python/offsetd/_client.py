"""Requests, retries, and the order of the sources of an answer."""

import enum
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

from offsetd import _keys
from offsetd._cache import Cache

# Longer URLs than this are refused by some proxies; the items go into a body then.
_LONGEST_URL = 4000

_FIRST_DELAY = 1.0
_LONGEST_DELAY = 300.0


class OffsetdError(Exception):
    """There is no answer: neither from the server, nor from the cache, nor from the fallback table."""

    def __init__(self, message, retry_after=None):
        super().__init__(message)
        self.retry_after = retry_after


class Source(enum.Enum):
    """Where an answer comes from."""

    SERVER = "server"
    REVALIDATED = "revalidated"  # from the cache; the server confirmed that it is current
    CACHE = "cache"  # from the cache; the server gave no answer
    FALLBACK = "fallback"


class Value:
    """Answer for one item: found, exactly or by consensus, or missing with a status that says why.

    Numbers that are unknown are None; a missing item has no numbers at all.
    """

    __slots__ = ("status", "offset", "size", "bit_offset", "bit_size", "detail")

    def __init__(self, status, offset=None, size=None, bit_offset=None, bit_size=None, detail=None):
        self.status = status
        self.offset = offset
        self.size = size
        self.bit_offset = bit_offset
        self.bit_size = bit_size
        self.detail = detail  # the JSON object of the item, of everything that is not a type or a member

    @property
    def found(self):
        return self.status in ("found", "consensus")

    def __repr__(self):
        numbers = (self.offset, self.size, self.bit_offset, self.bit_size)
        return f"Value({self.status!r}, {', '.join(map(str, numbers))})"


def _is_count(number):
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def _value(entry):
    if isinstance(entry, list) and len(entry) in (2, 4) and _is_count(entry[0]):
        if all(number is None or _is_count(number) for number in entry):
            return Value("found", *entry)
    if isinstance(entry, dict) and isinstance(entry.get("status"), str):
        return Value(entry["status"], detail=entry)
    return Value("malformed")


class Answer:
    """Values by item. Items that a fallback table or an old cache file lacks have the status "not_answered"."""

    def __init__(self, body, items, source, problem=None, retry_after=None):
        self.source = source
        self.problem = problem
        """Why the server gave no answer; None if it gave one."""
        self.retry_after = retry_after
        """Seconds after which to ask again; None if the server did not say."""
        self.arch = body.get("arch")
        self.complete = body.get("complete") is True
        self.stale = source is Source.CACHE or body.get("stale") is True
        consensus = body.get("consensus")
        self.consensus = consensus if isinstance(consensus, dict) else None
        """What the values rest on if they are not exact, as the server's JSON; None if they are."""
        self.values = {item: _value(entry) for item, entry in body["offsets"].items()}
        for value in self.values.values():
            if self.consensus is not None and value.offset is not None:
                value.status = "consensus"
        for item in items:
            self.values.setdefault(item, Value("not_answered"))

    def __getitem__(self, item):
        return self.values[item]


def _parse(body, build_id):
    """Returns the answer for a build, or None if the bytes are not one."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict) or answer.get("schemaVersion") != 1:
        return None
    if answer.get("buildId") != build_id and not _keys.is_alias(build_id):
        return None
    return answer if isinstance(answer.get("offsets"), dict) else None


def _consent(claims):
    """Returns the parameters of a request that accepts a consensus, in an order that all clients share."""
    texts = {name: ",".join(value) if name == "tokens" else value for name, value in claims.items()}
    unknown = texts.keys() - {"name", "version", "machine", "tokens"}
    if unknown:
        raise ValueError(f"consensus: unknown {sorted(unknown)}; expected name, version, machine, tokens")
    stated = [(name, texts[name]) for name in ("name", "version", "machine", "tokens") if texts.get(name)]
    return "&" + urllib.parse.urlencode([("fallback", "consensus"), *stated])


def _seconds(text):
    """Returns the seconds of a Retry-After header, or None; its other form, a date, is not read."""
    return float(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Reports a redirect as a failure: following it could carry the token to another server."""

    def redirect_request(self, *_):
        return None


class _TooLarge(Exception):
    pass


class Client:
    """Client of one server. Threads may share it."""

    def __init__(self, server, cache_dir, fallback=None, *, token=None, wait=2.0, max_response=8 << 20, max_cache=64 << 20):
        """
        :param server: URL, with the path prefix of a proxy if there is one
        :param cache_dir: folder of the cache; is created
        :param fallback: answers by build-id, or by a name that the caller chooses, such as "ruby 3.4"
        :param token: with scope "read", if the server requires one
        :param wait: seconds that a call may wait for a build that is being fetched, or for a busy server
        :param max_response: bytes of the largest response to accept
        :param max_cache: bytes of all files of the cache
        """
        self._server = server.rstrip("/")
        self._cache = Cache(cache_dir, max_cache)
        self._fallback = dict(fallback or {})
        for name, answer in self._fallback.items():
            if answer.get("schemaVersion") != 1 or not isinstance(answer.get("offsets"), dict):
                raise ValueError(f"fallback {name!r} is not an answer of schema version 1")
        self._token = token
        self._wait = wait
        self._max_response = max_response
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._lock = threading.Lock()
        self._failures = 0
        self._not_before = 0.0

    def offsets(self, build_id, items, name=None, *, consensus=None):
        """Returns the answer for items of a build, in the flat view.

        :param build_id: GNU build-id or alias key
        :param name: key of the fallback table, if it has no entry for the build-id
        :param consensus: accept an answer by consensus of similar builds if no source has debug information of this one: a
            dict, empty or with "name", "version", "machine" and "tokens" (a list) of the build, which count only if the server
            does not know its file. None for exact answers only
        :raises ValueError: if the build-id is not one, or the server calls the request malformed
        :raises OffsetdError: if no source has an answer
        """
        items = tuple(items)
        body, source, problem, retry_after = self.ask(build_id, items, "flat", consensus)
        if body is not None:
            return Answer(body, items, source, problem, retry_after)
        answer = self.fallback(build_id, name, items)
        if answer is None:
            raise OffsetdError(f"build {build_id}: {problem}", retry_after)
        answer.problem, answer.retry_after = problem, retry_after
        return answer

    def fallback(self, build_id, name=None, items=()):
        """Returns the entry of the fallback table, for single values that an answer lacks; None if there is none."""
        body = self._fallback.get(_keys.canonical(build_id), self._fallback.get(name))
        return Answer(body, items, Source.FALLBACK) if body is not None else None

    def ask(self, build_id, items, view, consensus=None):
        """Returns the JSON of an answer in any view, its source, the problem, and when to ask again."""
        consent = "" if consensus is None else _consent(consensus)
        build_id = _keys.canonical(build_id)
        if not items:
            raise ValueError("no items")
        query = urllib.parse.urlencode({"types": ",".join(items), "view": view})
        key = f"{self._server}/v1/offsets/{build_id}?{query}{consent}"
        etag, cached = self._cache.read(key) or ("", b"")
        old = _parse(cached, build_id)
        status, headers, body = self._exchange(key, build_id, items, view + consent, etag if old else "")
        retry_after = _seconds(headers.get("Retry-After"))
        if status == 304 and old:
            return old, Source.REVALIDATED, None, None
        if status == 200:
            fresh = _parse(body, build_id)
            if fresh:
                self._cache.write(key, headers.get("ETag", ""), body)
                return fresh, Source.SERVER, None, None
            problem = "the response is not an answer for this build"
        elif status in (400, 406, 413):
            raise ValueError(f"status {status}: {body[:500].decode(errors='replace')}")
        elif status:
            problem = f"status {status}"
        else:
            problem = body.decode(errors="replace")
        return old, Source.CACHE, problem, retry_after

    def _exchange(self, url, build_id, items, parameters, etag):
        """Sends the request until there is a result or the time is over. The status is 0 if there is no response."""
        end = time.monotonic() + self._wait
        headers = {"Accept-Encoding": "gzip", "Accept": "application/json", "User-Agent": "offsetd-python/1"}
        data = None
        if len(url) > _LONGEST_URL:
            url = f"{self._server}/v1/offsets/{build_id}?view={parameters}"
            data = json.dumps(items).encode()
            headers["Content-Type"] = "application/json"
        elif etag:
            headers["If-None-Match"] = etag
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        while True:
            pause = self._not_before - time.monotonic()
            if pause > 0:
                if pause > end - time.monotonic():
                    return 0, {"Retry-After": str(int(pause) + 1)}, b"the server failed recently; not asked"
                time.sleep(pause)
            left = max(0.0, end - time.monotonic())
            headers["Prefer"] = f"wait={min(30, round(left))}"
            response = self._once(urllib.request.Request(url, data, headers), left + 2)
            status, received, _ = response
            if status == 202:
                self._succeeded()
                pause = max(0.1, _seconds(received.get("Retry-After")) or 0) * random.uniform(1, 1.25)
                if pause > end - time.monotonic():
                    return response
                time.sleep(pause)
            elif status in (0, 429) or status >= 500:
                pause = self._failed(_seconds(received.get("Retry-After")) or 0)
                if pause > end - time.monotonic():
                    return response
            else:
                self._succeeded()
                return response

    def _once(self, request, timeout):
        try:
            try:
                response = self._opener.open(request, timeout=timeout)
            except urllib.error.HTTPError as e:
                response = e
            with response:
                return response.status, response.headers, self._read(response, time.monotonic() + timeout)
        except _TooLarge:
            return 0, {}, f"the response has more than {self._max_response} bytes".encode()
        except (OSError, http.client.HTTPException, zlib.error) as e:
            return 0, {}, str(e).encode()

    def _read(self, response, end):
        """Reads a response within limits of size, also when decompressed, and of time, also when it trickles in."""
        decoder = zlib.decompressobj(31) if response.headers.get("Content-Encoding") == "gzip" else None
        body = b""
        while True:
            received = response.read1(65536)
            if not received:
                break
            body += decoder.decompress(received, self._max_response + 1) if decoder else received
            if len(body) > self._max_response:
                raise _TooLarge
            if time.monotonic() > end:
                raise TimeoutError("the response took too long")
        if decoder and not decoder.eof:
            raise zlib.error("the response ends too early")
        return body

    def _succeeded(self):
        with self._lock:
            self._failures = 0

    def _failed(self, retry_after):
        """Returns how long no thread asks the server: exponential, with jitter, and at least as long as it demands."""
        with self._lock:
            delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(self._failures, 20)) * random.uniform(0.5, 1)
            delay = max(delay, min(retry_after, _LONGEST_DELAY) * random.uniform(1, 1.25))
            self._failures += 1
            self._not_before = max(self._not_before, time.monotonic() + delay)
            return self._not_before - time.monotonic()
