#!/bin/sh
# Measures offsetd beside other readers of debug files: warm and in process if a reader is callable, then each as a new
# process, in turn; offsetd as it is installed. Prints a table for docs/performance.md. Fails if offsetd, Go's reader and
# drgn disagree on the offsets; discards what the other readers print.
#
#   bench/peers.sh FILE TYPE [--runs N] [--limit SECONDS]      default: 11 and 300
#
# TYPE is the bare name of a struct, union or class. Each reader makes up to N runs within a minute; a reader that exceeds
# the limit in one run gets no figures. Debian packages: golang-go jq python3, and any of pahole python3-drgn gdb binutils.
# Leaves only the build behind.

set -eu
# shellcheck source=bench/readers.sh
. "$(dirname "$0")/readers.sh"

usage='usage: bench/peers.sh FILE TYPE [--runs N] [--limit SECONDS]'
[ $# -ge 2 ] || fail "$usage"
file=$1
type=$2
shift 2
runs=11
limit=300
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "$usage"
    case $1 in
        --runs) runs=$2 ;;
        --limit) limit=$2 ;;
        *) fail "$usage" ;;
    esac
    shift 2
done
budget_ms=60000
peers='offsetd go drgn pahole gdb readelf'

require golang-go:go jq:jq python3:"$python"
# Queries to upstreams would be measured too.
unset DEBUGINFOD_URLS
make_folder
install_offsetd
build_godwarf

is_here() {
    case $1 in
        offsetd | go) ;;
        drgn) "$python" -c 'import drgn' 2>/dev/null ;;
        *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

package_of() {
    case $1 in
        drgn) echo python3-drgn ;;
        readelf) echo binutils ;;
        *) echo "$1" ;;
    esac
}

# Prints what a reader does as a process.
# shellcheck disable=SC2016 # the backquotes are Markdown
does() {
    case $1 in
        offsetd) echo '`extract`: starts a Java VM; reads every unit, compares every definition of the name' ;;
        go) echo '`debug/dwarf`, a goroutine a processor: reads every unit but inside functions, compares the members of every definition' ;;
        drgn) echo '`load_debug_info`, `type`: indexes the names of all units, reads one definition' ;;
        pahole) echo '`-F dwarf -C`: stops at the first definition' ;;
        gdb) echo '`ptype /o`: indexes the names of all units, reads those with the name' ;;
        readelf) echo '`--debug-dump=info`: prints every DIE' ;;
    esac
}

# Runs a reader once, as a process.
#   $1  reader   $2  the file for the figures   $3...  options of timed.py
timed() {
    reader=$1
    figures=$2
    shift 2
    case $reader in
        offsetd) set -- "$@" "$installed" extract "$file" "$type" ;;
        go) set -- "$@" "$godwarf" "$file" "$type" ;;
        drgn) set -- "$@" "$python" "$root/bench/drgn_types.py" "$file" "$kind $type" ;;
        pahole) set -- "$@" pahole -F dwarf -C "$type" "$file" ;;
        gdb) set -- "$@" gdb -nx -batch -ex "ptype /o $kind $type" "$file" ;;
        readelf) set -- "$@" readelf --debug-dump=info "$file" ;;
    esac
    "$python" "$root/bench/timed.py" --limit "$limit" "$@" >"$figures"
}

# Prints the number of a reader's runs that fit the budget.
affordable() {
    awk -v ms="$(cut -d ' ' -f 1 "$folder/$1.warm-up")" -v most="$runs" -v budget="$budget_ms" \
        'BEGIN { n = int(budget / ms); print (n < 1 ? 1 : n > most ? most : n) }'
}

# One run of each warms the page cache and gives its duration; another measures its memory.
meet_peers() {
    for peer in $peers; do
        if ! is_here "$peer"; then
            say "$peer is not here; to measure it: apt-get install --no-install-recommends $(package_of "$peer")"
        elif ! timed "$peer" "$folder/warm-up"; then
            say "$peer fails, or takes longer than $limit s"
        else
            mv "$folder/warm-up" "$folder/$peer.warm-up"
            timed "$peer" "$folder/$peer.memory" --memory || fail "$peer fails"
        fi
    done
}

compare_processes() {
    round=0
    while [ "$round" -lt "$runs" ]; do
        round=$((round + 1))
        for peer in $peers; do
            if [ -f "$folder/$peer.warm-up" ] && [ "$round" -le "$(affordable "$peer")" ]; then
                timed "$peer" "$folder/run" || fail "$peer fails"
                cut -d ' ' -f 1 "$folder/run" >>"$folder/$peer.runs"
            fi
        done
    done
    ours=$(median <"$folder/offsetd.runs")
    for peer in $peers; do
        if [ -f "$folder/$peer.runs" ]; then
            sort -n "$folder/$peer.runs" >"$folder/sorted"
            row "$peer" process "$(does "$peer")" "$(wc -l <"$folder/sorted")" "$(head -n 1 "$folder/sorted")" \
                "$(median <"$folder/sorted")" "$(tail -n 1 "$folder/sorted")" "$ours" \
                "$(cut -d ' ' -f 1 "$folder/$peer.memory")" "$(cut -d ' ' -f 2 "$folder/$peer.memory")"
        else
            row "$peer" process "$(does "$peer")" - - - - - - -
        fi
    done
}

# Small files need many warm-up runs for the JIT compilers. A bench of a large file takes minutes, so it runs once, with
# all threads.
compare_in_process() {
    if [ "$(wc -c <"$file")" -lt 100000000 ]; then
        measure_reader "$folder/all-threads" --runs 40 --warm-up 60 "$file" "$type"
        measure_reader "$folder/one-thread" --runs 40 --warm-up 60 --threads 1 "$file" "$type"
    else
        measure_reader "$folder/all-threads" --runs 10 --warm-up 3 "$file" "$type"
    fi
    ours=$(measurement "$folder/all-threads" 'full scan' | cut -d ' ' -f 3)
    for name in 'full scan' 'whole catalogue'; do
        measurement "$folder/all-threads" "$name" >"$folder/figures"
        row_in_process offsetd "$name, $(nproc) threads"
    done
    if [ -f "$folder/one-thread" ]; then
        measurement "$folder/one-thread" 'full scan' >"$folder/figures"
        row_in_process offsetd 'full scan, 1 thread'
    fi
    count=$(affordable go)
    "$godwarf" -runs "$count" -warm-up 2 "$file" "$type" >"$folder/figures"
    row_in_process go "full scan, $(nproc) goroutines"
    GOMAXPROCS=1 "$godwarf" -runs "$count" -warm-up 2 "$file" "$type" >"$folder/figures"
    row_in_process go 'full scan, 1 goroutine on 1 processor'
    "$godwarf" -first -runs "$count" -warm-up 2 "$file" "$type" >"$folder/figures"
    row_in_process go 'first match, 1 goroutine'
    if [ -f "$folder/drgn.warm-up" ]; then
        "$python" "$root/bench/drgn_types.py" --runs "$(affordable drgn)" --warm-up 2 "$file" "$kind $type" >"$folder/figures"
        row_in_process drgn 'indexes the names of all units, reads one definition; its own threads'
    fi
}

# Prints the row of the measurement in process, if there is one.
#   $1  reader   $2  what it does
row_in_process() {
    if read -r counted min middle max anonymous <"$folder/figures"; then
        row "$1" 'in process, warm' "$2" "$counted" "$min" "$middle" "$max" "$ours" - "$anonymous"
    fi
}

# Prints a row of the table.
#   $1  reader   $2  how   $3  what it does   $4  runs   $5 to $7  min, median, max in ms   $8  offsetd's median
#   $9  peak RSS   ${10}  peak RssAnon, both in KiB; a missing figure is "-"
row() {
    for value in "$@"; do
        printf '%s\t' "$value"
    done | awk -F '\t' '
        function ms(value) { return value == "-" ? value : sprintf(value < 100 ? "%.1f" : "%.0f", value) }
        function mib(kib) { return kib == "-" || kib == 0 ? "-" : sprintf("%.0f", kib / 1024) }
        {
            printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, ms($5), ms($6), ms($7),
                $6 == "-" ? "-" : sprintf($6 / $8 < 0.1 ? "%.3f" : "%.2f", $6 / $8), mib($9), mib($10)
        }'
}

offsetd_layout "$file" "$type" "$folder/offsetd.layout"
kind=$(head -n 1 "$folder/offsetd.layout" | cut -d ' ' -f 1)
"$godwarf" "$file" "$type" >"$folder/go.layout"
require_same "Go's debug/dwarf" "$folder/go.layout" "$folder/offsetd.layout"
if is_here drgn; then
    "$python" "$root/bench/drgn_types.py" "$file" "$kind $type" >"$folder/drgn.layout"
    require_same drgn "$folder/drgn.layout" "$folder/offsetd.layout"
fi
meet_peers

printf '%s, %s: %s, %s processors\n\n' "${file##*/}" "$type" "$(date -u +%F)" "$(nproc)"
echo '| reader | how | what it does | runs | min ms | median ms | max ms | median to that of offsetd | peak RSS MiB | peak RssAnon MiB |'
echo '|---|---|---|--:|--:|--:|--:|--:|--:|--:|'
compare_in_process
compare_processes
