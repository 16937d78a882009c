# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016,SC2154
# Common parts of the prewarm scripts, which source this file: what earlier runs found ready, the results, and what to do next.
#
# Environment: OFFSETD_URL, OFFSETD_TOKEN (scope publish), OFFSETD (the launcher; default: that of the release or checkout that
# has this file), READY (file that remembers from run to run which builds each digest contained), REPORT (file for the results
# as JSON). On GitHub, the table is also appended to the summary of the job. Needs jq.

# What to do about the builds of a prewarm document that are not as required.
advice='[.builds[] | select(.satisfied | not)
    | "\(.files[0] // .buildId | split("!")[-1] | split("/")[-1]) \(.buildId)" as $build
    | ([.coverage[]?.required | "\(.found) of \(.of)"] | join(", ")) as $found
    | if .state == "done" then "\($build) has \($found) required items: see which with offsetd query, and what moved with offsetd diff"
      elif .cause.code | IN("not_found", "no_sources", "no_debuginfo") then
        "no source has debug information of \($build): upload it with offsetd push, or run again when its debuginfod has it"
      else "\($build): \(.cause.code // .state) \(.cause.detail // ""): run again" end] | join("; ")'

# Keeps text of registries and servers from being Markdown.
cell='def cell: gsub("[|\\\\`<>\\[\\]@\\p{C}]"; " ");'

start() {
    OFFSETD=${OFFSETD:-$folder/../../offsetd}
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    ready=${READY:-$work/ready}
    mkdir -p "$(dirname "$ready")" "$work/seen"
    touch "$ready" "$work/results"
}

# Prewarms what the arguments of offsetd prewarm name, and writes its document to $work/prewarm.json. Without $language, a build
# needs no items.
prewarm() {
    [ -z "$language" ] || set -- "$@" --types "@$language" --fail-under "@$language=100%"
    "$OFFSETD" prewarm "$OFFSETD_URL" "$@" --json >"$work/prewarm.json"
}

# Sets $status and $next from exit code $1 of prewarm.
judge() {
    status='not checked'
    case $1 in
        0) status=complete next= ;;
        3) status=incomplete next=$(jq -r "$advice" "$work/prewarm.json") ;;
        4) next='check OFFSETD_URL and OFFSETD_TOKEN (scope publish), and run again' ;;
        6) next="it has no file named $names: leave it out" ;;
        *) next="see what offsetd says above (exit code $1)" ;;
    esac
}

# Sets $status and $next if the content with digest $1 needs no download: this run has checked it, or the server still has the
# builds that an earlier run found in it.
recall() {
    rm -f "$work/prewarm.json"
    if [ -f "$work/seen/$1" ]; then
        { read -r status && read -r next; } <"$work/seen/$1"
        return
    fi
    builds=$(sed -n "s/^$language $1 //p" "$ready" | tail -n 1)
    [ -n "$builds" ] || return 1
    set --
    for build in $builds; do
        set -- "$@" --build-id "$build"
    done
    code=0
    prewarm "$@" || code=$?
    judge "$code"
    # A download would not help against a server that is away.
    [ "$code" -eq 0 ] || [ "$code" -eq 4 ]
}

# Records the result of digest $1, which was downloaded, for this run and, if it is complete, for later ones.
remember() {
    printf '%s\n' "$status" "$next" >"$work/seen/$1"
    if [ "$status" = complete ]; then
        jq -r --arg key "$language $1" '"\($key) \([.builds[].buildId] | join(" "))"' "$work/prewarm.json" >>"$ready"
    fi
}

# Adds a line to the results: item $1, architecture $2, digest $3, whether it was downloaded ($4), $status and $next.
result() {
    document=$work/prewarm.json
    [ -s "$document" ] || document=/dev/null
    jq -nc --arg item "$1" --arg architecture "$2" --arg digest "$3" --argjson downloaded "$4" --arg status "$status" \
        --arg next "$next" --slurpfile prewarm "$document" \
        '{$item, $architecture, $digest, $downloaded, $status, $next, prewarm: $prewarm[0]}' >>"$work/results"
}

# Reports the results under title $1. Exit code 3: something is incomplete; 1: something was not checked, or nothing is
# complete.
finish() {
    if [ -n "${REPORT:-}" ]; then
        mkdir -p "$(dirname "$REPORT")"
        jq -s . "$work/results" >"$REPORT"
    fi
    jq -r 'def pad($n): . + " " * ([$n - length, 1] | max);
        (.item | pad(30)) + (.architecture | pad(7)) + .status, (select(.next != "") | "    next: " + .next)' "$work/results"
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
        jq -rs --arg title "$1" "$cell"' "### \($title)\n", "| item | architecture | result | next |", "|---|---|---|---|",
            (.[] | "| `\(.item | cell)` | \(.architecture | cell) | \(.status) | \(.next | cell) |"), ""' \
            "$work/results" >>"$GITHUB_STEP_SUMMARY"
    fi
    jq -s 'if any(.status == "incomplete") then 3
        elif any(.status == "not checked") or all(.status != "complete") then 1
        else 0 end' "$work/results" >"$work/code"
    exit "$(cat "$work/code")"
}
