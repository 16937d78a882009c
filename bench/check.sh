#!/bin/sh
# Finds regressions of the extractor within a minute: measures it and Go's debug/dwarf in turn, and compares their ratio
# with bench/ratios.txt. An absolute time depends on the machine and its load; the ratio of two readers in the same minute
# depends on our changes.
#
#   bench/check.sh [--renew] [FILE TYPE]      default: the debug file of this machine's libc, and malloc_state
#
# Measures, over FILE:
#   parse    the full scan with one thread, warm and in process, of a copy whose sections are not compressed
#   process  CPU time of "offsetd extract" as a new process, with all threads, of FILE itself
#
# Each ratio is offsetd's minimum to Go's minimum over alternating runs, because load of the machine only adds to a run. The
# check fails if a ratio exceeds that of the file by more than a quarter: under load the same code varied by 3 % for parse
# and 15 % for process. It cannot see threads that wait for each other; bench/peers.sh on an idle machine can. --renew
# writes the present ratios.
# Debian packages: golang-go jq python3 binutils libc6-dbg. Leaves only the build behind.

set -eu
# shellcheck source=bench/readers.sh
. "$(dirname "$0")/readers.sh"

usage='usage: bench/check.sh [--renew] [FILE TYPE]'
tolerance=1.25
rounds=3
pairs=3
ratios=$root/bench/ratios.txt

renew=
if [ "${1:-}" = --renew ]; then
    renew=yes
    shift
fi
[ $# -eq 0 ] || [ $# -eq 2 ] || fail "$usage"
require golang-go:go jq:jq python3:"$python" binutils:objcopy
if [ $# -eq 2 ]; then
    file=$1
    type=$2
    input=${file##*/}
else
    require libc6-dbg:/usr/lib/debug/.build-id
    id=$("$root/offsetd" build-id "$(libc_of_this_machine)")
    file=/usr/lib/debug/.build-id/$(printf %s "$id" | cut -c 1-2)/$(printf %s "$id" | cut -c 3-).debug
    [ -e "$file" ] || fail "libc6-dbg is not that of this libc: $file is not there"
    type=malloc_state
    input=libc
fi
make_folder
build_godwarf
plain=$folder/plain.debug
objcopy --decompress-debug-sections "$file" "$plain"

offsetd_layout "$file" "$type" "$folder/offsetd.layout"
"$godwarf" "$file" "$type" >"$folder/go.layout"
require_same "Go's debug/dwarf" "$folder/go.layout" "$folder/offsetd.layout"

# Adds the CPU time of a command in ms to a file.
#   $1  the file   $2...  the command
took() {
    times=$1
    shift
    "$python" "$root/bench/timed.py" --limit 60 "$@" >"$folder/took" || fail "$1 fails"
    cut -d ' ' -f 2 "$folder/took" >>"$times"
}

round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    measure_reader "$folder/bench" --threads 1 --runs 20 --warm-up 60 "$plain" "$type"
    measurement "$folder/bench" 'full scan' | cut -d ' ' -f 2 >>"$folder/parse.offsetd"
    # One goroutine, and its collector on the same processor: whether another is free must not matter.
    GOMAXPROCS=1 "$godwarf" -runs 20 -warm-up 2 "$plain" "$type" | cut -d ' ' -f 2 >>"$folder/parse.go"
    pair=0
    while [ "$pair" -lt "$pairs" ]; do
        pair=$((pair + 1))
        took "$folder/process.offsetd" "$root/offsetd" extract "$file" "$type"
        took "$folder/process.go" "$godwarf" "$file" "$type"
    done
done

# Compares a measurement with the recorded ratio of this input, and keeps it for --renew.
#   $1  its name
check() {
    ours=$(sort -n "$folder/$1.offsetd" | head -n 1)
    other=$(sort -n "$folder/$1.go" | head -n 1)
    now=$(awk -v ours="$ours" -v other="$other" 'BEGIN { printf "%.3f", ours / other }')
    printf '%s %s %s %s\n' "$input" "$type" "$1" "$now" >>"$folder/now"
    written=$(awk -v input="$input" -v type="$type" -v name="$1" '$1 == input && $2 == type && $3 == name { print $4 }' "$ratios")
    printf '%-8s offsetd %6.1f ms, Go %6.1f ms, ratio %s' "$1" "$ours" "$other" "$now"
    if [ -z "$written" ]; then
        printf '; nothing to compare it with\n'
    elif awk -v now="$now" -v was="$written" -v tolerance="$tolerance" 'BEGIN { exit !(now > was * tolerance) }'; then
        printf '; WORSE than %s\n' "$written"
        verdict=1
    else
        printf '; was %s\n' "$written"
    fi
}

verdict=0
check parse
check process
if [ -n "$renew" ]; then
    awk -v input="$input" -v type="$type" '$1 != input || $2 != type' "$ratios" >"$folder/kept"
    cat "$folder/kept" "$folder/now" >"$ratios"
    verdict=0
fi
exit $verdict
