# SPDX-License-Identifier: Apache-2.0

"""Why there is no answer."""

import enum
import json


class Reason(enum.Enum):
    """Why there is no answer."""

    FETCHING = "fetching"  # the server is fetching or reading the build: ask again after retry_after
    NO_BUILD = "no build"  # every source of the server definitely has no such build
    UNUSABLE = "unusable"  # a file of the build exists and cannot answer
    NOT_COVERED = "not covered"  # the build lacks a required item; missing says which
    REFUSED = "refused"  # the token is missing, wrong or lacks the scope "read"
    UNAVAILABLE = "unavailable"  # the server is busy, or it or a source of it failed
    UNREACHABLE = "unreachable"  # there was no response
    UNEXPECTED = "unexpected"  # the response is not that of an offsetd
    BAD_REQUEST = "bad request"  # a fault of the caller: do not repeat the request


class OffsetdError(Exception):
    """There is no answer, or an answer is not the server's.

    :ivar reason: a Reason
    :ivar status: of HTTP; None if there was no response
    :ivar code: of the problem, for programs: "build_not_found"; may be None
    :ivar detail: for people
    :ivar retry_after: seconds after which to ask again; None if the server did not say
    :ivar missing: the required items that the build lacks, each a Missing
    """

    def __init__(self, reason, detail="", *, status=None, code=None, retry_after=None, missing=()):
        self.reason = reason
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after
        self.missing = tuple(missing)
        text = reason.value + (f" (status {status})" if status else "")
        super().__init__(f"{text}: {detail}" if detail else text)

    def of_source(self):
        """Returns whether a source of the server failed, which says nothing about other builds.

        A 502 or 504 without a code is that of a proxy whose server is away.
        """
        return self.reason is Reason.UNAVAILABLE and self.status in (404, 502, 504) and bool(self.code)


def problem(status, body, retry_after):
    """Returns the reason that a status stands for, with what the body says about it."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None  # the page of another server
    said = said if isinstance(said, dict) else {}
    if retry_after is None and isinstance(said.get("retryAfter"), int):
        retry_after = said["retryAfter"]
    code, detail = (said.get(name) if isinstance(said.get(name), str) else None for name in ("code", "detail"))
    reason = Reason.UNEXPECTED
    if status == 202:
        reason = Reason.FETCHING
    elif status in (401, 403):
        reason = Reason.REFUSED
    elif status == 404 and code == "build_not_found":
        skipped = said.get("cause") == "incomplete"  # a source that fails at present, and may have the build
        reason = Reason.UNAVAILABLE if skipped else Reason.NO_BUILD
    elif status in (409, 422):
        reason = Reason.UNUSABLE
    elif status in (408, 429) or status >= 500:
        reason = Reason.UNAVAILABLE
    elif 400 <= status != 404 and code:
        reason = Reason.BAD_REQUEST
    return OffsetdError(reason, detail or "", status=status, code=code, retry_after=retry_after)


def not_covered(missing):
    """Returns the error of an answer that lacks required items."""
    names = ", ".join(map(str, missing[:3])) + (f", {len(missing) - 3} more" if len(missing) > 3 else "")
    return OffsetdError(Reason.NOT_COVERED, f"the build lacks {names}", missing=missing)
