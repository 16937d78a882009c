#!/bin/sh
# Measures the first answer for an unknown build, beside the plain download of its debug file from the same local
# debuginfod. Each run uses a new build: a copy of the file with another build-id.
#
#   bench/first-answer.sh DEBUGFILE ITEMS [--runs N] [--warm-up N]      default: 10 runs after 6 to warm up
#
# ITEMS that begin with 0x are an address, whose functions and lines are asked for.
# Needs room for a copy of the file per run, and as much again for the server's cache.
# Debian packages: debuginfod elfutils curl python3. Leaves nothing behind; its servers listen on 127.0.0.1 only.

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

usage='usage: bench/first-answer.sh DEBUGFILE ITEMS [--runs N] [--warm-up N]'
[ $# -ge 2 ] || fail "$usage"
original=$1
items=$2
shift 2
runs=10
# The JIT compilers need the first runs for their profiles.
warm_up=6
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "$usage"
    case $1 in
        --runs) runs=$2 ;;
        --warm-up) warm_up=$2 ;;
        *) fail "$usage" ;;
    esac
    shift 2
done
require debuginfod:debuginfod curl:curl python3:python3
debuginfod_url=http://127.0.0.1:$nginx_port
make_folder

id=$("$root/offsetd" build-id "$original")
mkdir "$folder/debug"
python3 "$root/bench/copies.py" "$original" "$id" $((warm_up + runs)) "$folder/debug" >"$folder/ids"

# The build-id of a copy.
id_of() {
    sed -n "$1p" "$folder/ids"
}

debuginfod -p "$nginx_port" -d :memory: -F "$folder/debug" >"$folder/debuginfod.log" 2>&1 &
nginx_pid=$!
copy=0
while [ "$copy" -lt $((warm_up + runs)) ]; do
    copy=$((copy + 1))
    wait_for "$debuginfod_url/buildid/$(id_of "$copy")/debuginfo" "$nginx_pid" "$folder/debuginfod.log"
done
export DEBUGINFOD_URLS="$debuginfod_url"
# shellcheck disable=SC2119 # without options
start_server
make_token

# Prints the time of a GET in ms; ends unless the answer is 200.
took() {
    answered=$(get "$1" -o "$folder/answer" -w '%{http_code} %{time_total}' -H 'Prefer: wait=30')
    [ "${answered%% *}" = 200 ] || fail "$1: $answered"
    printf '%s\n' "${answered#* }" | awk '{ printf "%.0f\n", $1 * 1000 }'
}

printf 'offsetd %s, %s, %d bytes, %s processors\n' \
    "$(curl -sS "$server_url/version")" "${original##*/}" "$(wc -c <"$original")" "$(nproc)"
: >"$folder/downloads"
: >"$folder/answers"
copy=0
while [ "$copy" -lt $((warm_up + runs)) ]; do
    copy=$((copy + 1))
    download=$(took "$debuginfod_url/buildid/$(id_of "$copy")/debuginfo")
    case $items in
        0x*)
            answer=$(took "$server_url/v1/symbolize/$(id_of "$copy")?addresses=$items")
            # More addresses than are read first wait for the whole table.
            took "$server_url/v1/symbolize/$(id_of "$copy")?addresses=$(
                seq "$((items))" "$((items + 99))" | xargs printf ',0x%x' | cut -c 2-
            )" >/dev/null
            ;;
        *) answer=$(took "$server_url/v1/offsets/$(id_of "$copy")?types=$items") ;;
    esac
    # A large build answers before its types are stored. Lists of types wait for that.
    took "$server_url/v1/builds/$(id_of "$copy")/types?limit=1" >/dev/null
    if [ "$copy" -le "$warm_up" ]; then
        printf '  warm-up  download %5d ms   first answer %5d ms\n' "$download" "$answer"
    else
        printf '  run %3d  download %5d ms   first answer %5d ms\n' $((copy - warm_up)) "$download" "$answer"
        echo "$download" >>"$folder/downloads"
        echo $((answer - download)) >>"$folder/answers"
    fi
done
printf '  median   download %5.0f ms   first answer %5.0f ms after it   server %d MiB\n' \
    "$(median <"$folder/downloads")" "$(median <"$folder/answers")" "$(server_memory)"
