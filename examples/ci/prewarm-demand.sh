#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prewarms the builds that clients requested from an offsetd server and that no source had, and keeps one issue with the list
# of those that stay missing: opened when there are some, rewritten by each run, closed when there are none.
#
#   prewarm-demand.sh
#
# Looks at the 200 most requested builds. Exit code 0 if the issue is up to date, even if builds are missing.
#
# Environment: that of common.sh, and ISSUE_TOKEN (may write issues). Where the issue is: on GitHub GITHUB_API_URL and
# GITHUB_REPOSITORY, on GitLab CI_API_V4_URL and CI_PROJECT_ID, which the services set. Without these, the list is only
# printed. Needs curl and jq.

set -eu

folder=$(CDPATH='' cd "$(dirname "$0")" && pwd -P)
. "$folder/common.sh"
language=
title='Builds without debug information'
label=offsetd-demand
: "${OFFSETD_URL:?URL of the server, for example https://offsetd.example.org}"
start

# Calls curl with header $1, which is not among the arguments that other processes see.
call() {
    printf '%s\n' "$1" >"$work/header"
    shift
    curl --fail --silent --show-error --header "@$work/header" "$@"
}

# Builds whose keys are not GNU build-ids only an upload can answer.
call "${OFFSETD_TOKEN:+Authorization: Bearer $OFFSETD_TOKEN}" "$OFFSETD_URL/v1/demand?limit=200" >"$work/demand.json"
set --
for build in $(jq -r '.demand[].buildId | select(test("\\A[0-9a-f]+\\z"))' "$work/demand.json"); do
    set -- "$@" --build-id "$build"
done
echo '{"builds": []}' >"$work/prewarm.json"
if [ $# -gt 0 ]; then
    code=0
    prewarm "$@" || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || exit "$code"
fi
if [ -n "${REPORT:-}" ]; then
    mkdir -p "$(dirname "$REPORT")"
    cp "$work/prewarm.json" "$REPORT"
fi

jq -r --slurpfile prewarm "$work/prewarm.json" "$cell"'
    (INDEX($prewarm[0].builds[]; .buildId)) as $builds
    | def advice: if IN("not_found", "no_sources") then "upload its debug file or package: offsetd push"
        elif . == "no_debuginfo" then "build it with -g, or keep its debug file, and upload that: offsetd push"
        elif IN("malformed", "unsupported", "limit_exceeded", "too_large") then "see the page of the build"
        else "the next run tries again" end;
    [.demand[] | select($builds[.buildId].satisfied | not) | .cause = ($builds[.buildId].cause.code // .cause)]
    | if length == 0 then "No unmet demand." else
      "Clients requested these builds, and the server has no debug information of them. Each run rewrites this list.\n",
      "| requests | last request | build | clients call it | cause | next |", "|--:|---|---|---|---|---|",
      (.[] | "| \(.count) | \(.lastAsked[:10]) | `\(.buildId)` | `\(.claimedName // "-" | cell)` | \(.cause) | \(.cause | advice) |") end' \
    "$work/demand.json" >"$work/body.md"
missing=$(grep -c '^| [0-9]' "$work/body.md" || :)
cat "$work/body.md"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$work/body.md" >>"$GITHUB_STEP_SUMMARY"

if [ -n "${GITHUB_REPOSITORY:-}" ]; then
    issues=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues header="Authorization: Bearer $ISSUE_TOKEN" update=PATCH
    all=state=all number=.number open='{state: "open"}' closed='{state: "closed"}' text=body labels="[\"$label\"]"
elif [ -n "${CI_PROJECT_ID:-}" ]; then
    issues=$CI_API_V4_URL/projects/$CI_PROJECT_ID/issues header="PRIVATE-TOKEN: $ISSUE_TOKEN" update=PUT
    all=scope=all number=.iid open='{state_event: "reopen"}' closed='{state_event: "close"}' text=description labels="\"$label\""
else
    exit 0
fi
call "$header" "$issues?labels=$label&$all&per_page=1" >"$work/issues"
known=$(jq -r ".[0] | $number // empty" "$work/issues")
[ "$missing" -gt 0 ] && state=$open || state=$closed
if [ -n "$known" ]; then
    jq -Rs "{$text: .} + $state" "$work/body.md" | call "$header" --request "$update" --json @- "$issues/$known" >"$work/issue"
elif [ "$missing" -gt 0 ]; then
    jq -Rs --arg title "$title" "{\$title, $text: ., labels: $labels}" "$work/body.md" |
        call "$header" --json @- "$issues" >"$work/issue"
fi
