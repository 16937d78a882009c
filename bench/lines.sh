#!/bin/sh
# Measures functions, files and lines at addresses of a debug file, each figure beside LLVM's tools on the same file. The
# addresses are random ones in its functions, the same in each run.
#
#   bench/lines.sh DEBUGFILE [--runs N] [--builds N]      default: 10 runs, 50 builds
#
# Prints lines "what|offsetd|unit|peer|name of the peer". The server takes copies of the file with other build-ids from a
# folder, so there is no download: room for as many copies is needed.
# Debian packages: llvm curl jq python3 binutils. Leaves nothing behind; its server listens on 127.0.0.1 only.

set -eu
# shellcheck source=bench/readers.sh
. "$(dirname "$0")/readers.sh"

usage='usage: bench/lines.sh DEBUGFILE [--runs N] [--builds N]'
[ $# -ge 1 ] || fail "$usage"
original=$1
shift
runs=10
builds=50
while [ $# -gt 0 ]; do
    [ "${2:-none}" -gt 0 ] 2>/dev/null || fail "$1 ${2:-}: expected a positive number; $usage"
    case $1 in
        --runs) runs=$2 ;;
        --builds) builds=$2 ;;
        *) fail "$usage" ;;
    esac
    shift 2
done
require llvm:llvm-symbolizer curl:curl jq:jq python3:"$python" binutils:nm
# Debian's package has it only with its version in the name.
gsymutil=$(printf '%s\n' /usr/bin/llvm-gsymutil* | sort -V | tail -n 1)
require llvm:"$gsymutil"
# Each answer for a build that has not been asked for lines needs a copy.
[ "$builds" -gt "$runs" ] || builds=$((runs + 1))
make_folder

# Writes random addresses to a file: the start of each function, and a place in it.
#   $1  how many   $2  the file
choose_addresses() {
    nm -S --defined-only "$original" 2>/dev/null | awk 'NF == 4 && $3 ~ /^[tTwW]$/ { print $1, $2 }' |
        "$python" -c 'import random, sys
functions = [tuple(int(part, 16) for part in line.split()) for line in sys.stdin]
generator = random.Random(1)
for _ in range(int(sys.argv[1])):
    start, size = generator.choice(functions)
    print(hex(start + generator.randrange(max(size, 1))))' "$1" >"$2"
}

# Sends the queries of a file and prints the time in ms; ends unless every address is answered.
#   $1  file with the body   $2  symbols for symbols; default: lines
ask() {
    answered=$(get "$server_url/v1/${2:-symbolize}" -o "$folder/answer" -w '%{http_code} %{time_total}' \
        -H 'Content-Type: application/json' -H 'Prefer: wait=30' --data-binary "@$1")
    others=$(jq -c '[.answers[] | .answer.addresses[]?.status // .problem.code] | unique - ["found", "no_line"]' "$folder/answer")
    { [ "${answered%% *}" = 200 ] && [ "$others" = "[]" ]; } || fail "$1: $answered, statuses $others"
    printf '%s\n' "${answered#* }" | awk '{ print $1 * 1000 }'
}

# Writes the body of a request.
#   $1  build-ids   $2  file with all addresses   $3  addresses for each build   $4  the file to write
write_queries() {
    # shellcheck disable=SC2016 # the variables are jq's
    jq -Rn --argjson each "$3" --rawfile addresses "$2" '
        ($addresses | split("\n") | map(select(. != ""))) as $all
        | {queries: [inputs | select(. != "")] | to_entries
            | map({buildId: .value, addresses: $all[.key * $each:(.key + 1) * $each]})}' "$1" >"$4"
}

# Prints the time of a command in ms; discards its output.
once() {
    "$python" "$root/bench/timed.py" --limit 3600 "$@" | cut -d ' ' -f 1
}

# Repeats a command and prints the median of what it prints.
repeat() {
    left=$runs
    while [ "$left" -gt 0 ]; do
        left=$((left - 1))
        "$@" || return 1
    done | median
}

# Prints the bytes of the objects that the server's heap keeps after a collection.
live_bytes() {
    "$JAVA_HOME/bin/jcmd" "$server_pid" GC.class_histogram | awk '$1 == "Total" { print $3 }'
}

id=$("$root/offsetd" build-id "$original")
mkdir "$folder/debug"
"$python" "$root/bench/copies.py" "$original" "$id" "$builds" "$folder/debug" >"$folder/ids"
choose_addresses 1000 "$folder/thousand"
choose_addresses 10000 "$folder/all"
head -n 1 "$folder/thousand" >"$folder/one"

compile_benchmarks
run_benchmark dev.offsetd.extractor.bench.LinesMeasurement "$original" "$((runs / 2 + 1))" "$runs" >"$folder/table"
read -r table_ms table_bytes <"$folder/table"
read_memory=$(peak_memory "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -Xmx1g -cp "$benchmarks" \
    dev.offsetd.extractor.bench.LinesMeasurement "$original" 0 1)
[ -n "$read_memory" ] || fail "the whole table of $original is not made in a heap of 1 GiB"
gsym=$folder/peer.gsym
gsym_ms=$(repeat once "$gsymutil" --convert="$original" --out-file="$gsym")
gsym_bytes=$(wc -c <"$gsym")
rm "$gsym"

export DEBUGINFOD_URLS=
start_server "--offsetd.local-folders=$folder/debug" --offline
make_token
# The build is known and its file is at hand; nobody has asked for its lines.
while read -r build; do
    get "$server_url/v1/builds/$build/types?limit=1" -o "$folder/answer" -H 'Prefer: wait=30'
done <"$folder/ids"
# The table of each build is made behind its first answer; the next first answer waits for it.
while read -r build; do
    echo "$build" >"$folder/id"
    write_queries "$folder/id" "$folder/one" 1 "$folder/one.json"
    write_queries "$folder/id" "$folder/thousand" 1000 "$folder/thousand.json"
    ask "$folder/one.json" >>"$folder/firsts"
    ask "$folder/thousand.json" >>"$folder/log"
done <"$folder/ids"
first_ms=$(tail -n "$runs" "$folder/firsts" | median)
peer_first_ms=$(repeat once llvm-symbolizer --inlines --obj="$original" "$(cat "$folder/one")")
# A server in use has compiled what answers; 50 requests are too few for that.
(runs=200 && repeat ask "$folder/thousand.json") >"$folder/log"
repeat ask "$folder/thousand.json" >"$folder/thousand.ms"
peer_thousand_ms=$("$python" "$root/bench/symbolizer.py" "$original" "$folder/thousand" "$runs")
write_queries "$folder/ids" "$folder/all" "$((10000 / builds))" "$folder/all.json"
# shellcheck disable=SC2016 # the variable is jq's
jq '{queries: [.queries[] as $query | $query.addresses[] | {buildId: $query.buildId, address: .}]}' \
    "$folder/all.json" >"$folder/pairs.json"
for pass in 1 2; do
    repeat ask "$folder/all.json" >"$folder/all.ms"
    repeat ask "$folder/pairs.json" symbols >"$folder/symbols.ms"
done
server_mib=$(server_memory)

# A server that has only stored tables, and has answered one address.
kill "$server_pid"
wait "$server_pid" || true
start_server --offline
ask "$folder/one.json" >"$folder/log"
before=$(live_bytes)
write_queries "$folder/id" "$folder/all" 10000 "$folder/all.json"
repeat ask "$folder/all.json" >"$folder/log"
kept_mib=$(awk -v before="$before" -v after="$(live_bytes)" \
    'BEGIN { printf "%.1f", (after > before ? (after - before) / 1024 / 1024 : 0) }')

# shellcheck disable=SC2016 # the backquotes are Markdown
{
    printf 'first answer for an address, file at hand|%s|ms|%s|`llvm-symbolizer`, from its start\n' "$first_ms" "$peer_first_ms"
    printf 'whole table, warm|%s|ms|%s|`llvm-gsymutil --convert`, process\n' "$table_ms" "$gsym_ms"
    printf 'stored table|%s|bytes|%s|GSYM\n' "$table_bytes" "$gsym_bytes"
    printf '1,000 addresses in one request, warm|%s|ms|%s|`llvm-symbolizer`, warm, over a pipe\n' \
        "$(cat "$folder/thousand.ms")" "$peer_thousand_ms"
    printf '10,000 addresses over %s builds, symbols only|%s|ms|-|\n' "$builds" "$(cat "$folder/symbols.ms")"
    printf '10,000 addresses over %s builds|%s|ms|-|\n' "$builds" "$(cat "$folder/all.ms")"
    printf 'memory of the server after it|%s|MiB|-|\n' "$server_mib"
    printf 'whole table with a heap of 1 GiB, peak memory of the process|%s|MiB|-|\n' "$read_memory"
    printf 'heap that 10,000 addresses of a stored build keep|%s|MiB|-|\n' "$kept_mib"
}
