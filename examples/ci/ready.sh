#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Asks an offsetd server with watches whether it is ready for the latest releases that need these type sets.
#
#   ready.sh SET...
#
# Every set is asked for. Exit code: the first of offsetd ready that is not 0.
#
# Environment: OFFSETD_URL, OFFSETD_TOKEN (scope read, where reading needs a token), OFFSETD (the launcher; default: that of the
# release or checkout that has this file), SINCE (default: 30d), REPORT (file for the releases as JSON, one a line). On GitHub,
# what is printed is also appended to the summary of the job.

set -eu

folder=$(CDPATH='' cd "$(dirname "$0")" && pwd -P)
OFFSETD=${OFFSETD:-$folder/../../offsetd}
: "${OFFSETD_URL:?URL of the server, for example https://offsetd.example.org}"
report=${REPORT:-/dev/null}
mkdir -p "$(dirname "$report")"
: >"$report"

first=0
for set in "$@"; do
    code=0
    text=$("$OFFSETD" ready "$OFFSETD_URL" "@$set" --since "${SINCE:-30d}") || code=$?
    printf '%s\n' "$text"
    # Lines with four spaces are code, whatever the names of packages contain.
    [ -z "${GITHUB_STEP_SUMMARY:-}" ] ||
        printf '### Releases for @%s\n\n%s\n\n' "$set" "$(printf '%s\n' "$text" | sed 's/^/    /')" >>"$GITHUB_STEP_SUMMARY"
    "$OFFSETD" ready "$OFFSETD_URL" "@$set" --since "${SINCE:-30d}" --json >>"$report" 2>/dev/null || :
    [ "$first" -ne 0 ] || first=$code
done
exit "$first"
