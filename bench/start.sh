#!/bin/sh
# Measures the start of ./offsetd serve on an existing embedded database, with and without the AOT cache: from the command
# to the first 200 of /readyz, then the first two answers, and the memory ten seconds later.
#
#   bench/start.sh [--runs N]      default: 5
#
# Debian packages: curl. Leaves only the build behind; the server listens on 127.0.0.1 only.

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

runs=5
while [ $# -gt 0 ]; do
    if [ $# -lt 2 ] || [ "$1" != --runs ]; then
        fail "usage: bench/start.sh [--runs N]"
    fi
    runs=$2
    shift 2
done

require curl:curl
make_folder

# Starts and stops the server once, and adds to a file the times in ms until ready, of the first and of the second
# answer, and the memory in MiB.
#   $1  OFFSETD_JAVA_OPTS   $2  the file
start_and_stop() {
    begin=$(date +%s%N)
    OFFSETD_JAVA_OPTS=$1 "$root/offsetd" serve --data "$folder/data" --port "$server_port" --offline \
        >"$folder/server.log" 2>&1 &
    server_pid=$!
    left=6000
    until curl -fso /dev/null "$server_url/readyz"; do
        kill -0 "$server_pid" 2>/dev/null || fail "the server has ended: $(tail -n 5 "$folder/server.log")"
        left=$((left - 1))
        [ "$left" -gt 0 ] || fail "not ready: $(tail -n 5 "$folder/server.log")"
        sleep 0.02
    done
    end=$(date +%s%N)
    first=$(curl -so /dev/null -w '%{time_total}' "$server_url/v1/type-sets")
    second=$(curl -so /dev/null -w '%{time_total}' "$server_url/v1/type-sets")
    sleep 10
    echo "$(((end - begin) / 1000000)) $first $second $(server_memory)" |
        awk '{ print $1, $2 * 1000, $3 * 1000, $4 }' >>"$2"
    kill "$server_pid"
    wait "$server_pid" || fail "the server did not stop well: $(tail -n 5 "$folder/server.log")"
    server_pid=
}

#   $1  label   $2  OFFSETD_JAVA_OPTS
measure_starts() {
    : >"$folder/starts"
    run=0
    while [ "$run" -lt "$runs" ]; do
        run=$((run + 1))
        start_and_stop "$2" "$folder/starts"
    done
    printf '%-14s until ready: min %d, median %d, max %d ms; first answer %.0f ms, second %.0f ms, %.0f MiB (medians)\n' "$1" \
        "$(cut -d ' ' -f 1 "$folder/starts" | sort -n | head -n 1)" \
        "$(cut -d ' ' -f 1 "$folder/starts" | median | cut -d . -f 1)" \
        "$(cut -d ' ' -f 1 "$folder/starts" | sort -n | tail -n 1)" \
        "$(cut -d ' ' -f 2 "$folder/starts" | median)" "$(cut -d ' ' -f 3 "$folder/starts" | median)" \
        "$(cut -d ' ' -f 4 "$folder/starts" | median)"
}

# Builds, trains the AOT cache, and sets up the database.
"$root/offsetd" train
: >"$folder/new"
start_and_stop '' "$folder/new"
measure_starts 'with cache' ''
measure_starts 'without cache' -XX:AOTMode=off
