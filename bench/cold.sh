#!/bin/sh
# Measures commands as processes, launcher included: the build-id of a file and the layout of a type, with and without the
# AOT cache; beside drgn and gdb if they are installed, and a JVM that only prints its version. The commands alternate.
#
#   bench/cold.sh FILE TYPE [--runs N]      default: 15
#
# TYPE is the bare name of a struct. Debian packages: hyperfine jq, optionally python3-drgn gdb. Leaves only the build
# behind.

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

usage='usage: bench/cold.sh FILE TYPE [--runs N]'
[ $# -ge 2 ] || fail "$usage"
file=$1
type=$2
shift 2
runs=15
while [ $# -gt 0 ]; do
    { [ $# -gt 1 ] && [ "$1" = --runs ]; } || fail "$usage"
    runs=$2
    shift 2
done
require hyperfine:hyperfine jq:jq
# Queries to upstreams would be measured too.
unset DEBUGINFOD_URLS OFFSETD_JAVA_OPTS
make_folder

# Adds a row to the table, if the command works here.
#   $1  its label   $2...  the command
row() {
    said=$1
    shift
    if "$@" >"$folder/out" 2>"$folder/err"; then
        echo "$said" >>"$folder/rows"
        for word in "$@"; do
            printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"
        done >>"$folder/commands"
        echo >>"$folder/commands"
    else
        say "skipped, because it fails: $said: $(head -n 1 "$folder/err")"
    fi
}

: >"$folder/rows"
: >"$folder/commands"
ask_drgn='import sys, drgn; p = drgn.Program(); p.load_debug_info([sys.argv[1]]); print(p.type("struct " + sys.argv[2]))'
# Builds, and trains the AOT cache.
"$root/offsetd" build-id "$file" >"$folder/out" || fail "no build-id"
# shellcheck disable=SC2016 # the backquotes are Markdown
{
    row '`./offsetd build-id`' "$root/offsetd" build-id "$file"
    row '`./offsetd build-id` without the cache' env OFFSETD_JAVA_OPTS=-XX:AOTMode=off "$root/offsetd" build-id "$file"
    row '`./offsetd extract`' "$root/offsetd" extract "$file" "$type"
    row '`./offsetd extract` without the cache' \
        env OFFSETD_JAVA_OPTS=-XX:AOTMode=off "$root/offsetd" extract "$file" "$type"
    row 'drgn: `load_debug_info`, `type`' /usr/bin/python3 -c "$ask_drgn" "$file" "$type"
    row 'gdb: `ptype /o`' gdb -nx -batch -ex "ptype /o struct $type" "$file"
    row 'a JVM that prints its version' java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -version
}

count=$(wc -l <"$folder/rows")
round=0
while [ "$round" -lt "$runs" ]; do
    round=$((round + 1))
    number=0
    while IFS= read -r command; do
        number=$((number + 1))
        hyperfine -N -w 0 -r 1 --export-json "$folder/run" "$command" >"$folder/out" 2>&1 </dev/null ||
            fail "$command: $(cat "$folder/out")"
        jq -r '.results[0].times[0] * 1000' "$folder/run" >>"$folder/$number.ms"
    done <"$folder/commands"
done

printf '%s, %s: %s, %s runs each, %s processors\n\n' "${file##*/}" "$type" "$(date -u +%F)" "$runs" "$(nproc)"
echo '| command | min ms | median ms | max ms |'
echo '|---|--:|--:|--:|'
number=0
while [ "$number" -lt "$count" ]; do
    number=$((number + 1))
    sort -n "$folder/$number.ms" >"$folder/sorted"
    printf '| %s | %.0f | %.0f | %.0f |\n' "$(sed -n "${number}p" "$folder/rows")" \
        "$(head -n 1 "$folder/sorted")" "$(median <"$folder/sorted")" "$(tail -n 1 "$folder/sorted")"
done
