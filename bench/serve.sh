#!/bin/sh
# Measures cached answers of GET /v1/offsets/{buildId} beside nginx, which serves the same bytes as a file
# (bench/nginx.conf), in alternating runs on this machine: requests per second, p99, and the ratio; then p99 at half load
# and of uncached answers, and a plan of five steps beside a plain member. Token checks, rate limit and metrics are on; the
# limit is never reached.
#
#   bench/serve.sh [--seconds N] [--pairs N] [--connections N]      default: 10, 5 and 64
#
# Debian packages: nginx wrk curl libc6-dbg. Leaves nothing behind; its servers listen on 127.0.0.1 only.

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

seconds=10
pairs=5
connections=64
# Warm-up: the JIT compilers compete with the measurement for processors until they are done.
warm_up=20
read_options '[--seconds N] [--pairs N] [--connections N]' "$@"

# The items that a profiler needs to walk the threads and loaded objects of a C library.
items=pthread,link_map,r_debug,dtv_slotinfo_list,malloc_state

libc=$(libc_of_this_machine)
require nginx:nginx wrk:wrk curl:curl libc6-dbg:/usr/lib/debug/.build-id
make_folder
start_server --offline
idle_memory=$(server_memory)
sleep 10
later_memory=$(server_memory)
make_token
build=$("$root/offsetd" build-id "$libc")
path="/v1/offsets/$build?types=$items"
code=$(get "$server_url$path" -o "$folder/answer" -w '%{http_code}' -H 'Prefer: wait=30')
[ "$code" = 200 ] || fail "the build of $libc: $code, $(cat "$folder/answer")"

start_nginx "$path"

# Runs the pairs and prints their medians.
#   $1  identity or gzip
compare_speed() {
    compare_answers "$path" "$1"
    printf '\n%s, %d bytes, %d connections, %d s each\n' "$1" "$(wc -c <"$folder/$1.body")" "$connections" "$seconds"
    measure "$server_url$path" "$warm_up" "$connections" -H "Accept-Encoding: $1" >"$folder/warm-up"
    printf '  warm-up  offsetd %s req/s\n' "$(cut -d ' ' -f 1 "$folder/warm-up")"
    : >"$folder/offsetd"
    : >"$folder/nginx"
    pair=0
    while [ "$pair" -lt "$pairs" ]; do
        pair=$((pair + 1))
        measure "$nginx_url$path" "$seconds" "$connections" -H "Accept-Encoding: $1" >>"$folder/nginx"
        measure "$server_url$path" "$seconds" "$connections" -H "Accept-Encoding: $1" >>"$folder/offsetd"
        printf '%s %s\n' "$(tail -n 1 "$folder/nginx")" "$(tail -n 1 "$folder/offsetd")" | awk -v pair="$pair" '{
            printf "  pair %d   nginx %6d req/s, p99 %6.2f ms   offsetd %6d req/s, p99 %6.2f ms   ratio %.2f\n",
                pair, $1, $2, $3, $4, $3 / $1 }'
    done
    nginx_rate=$(cut -d ' ' -f 1 "$folder/nginx" | median)
    server_rate=$(cut -d ' ' -f 1 "$folder/offsetd" | median)
    printf '%s %s %s %s\n' "$nginx_rate" "$(cut -d ' ' -f 2 "$folder/nginx" | median)" \
        "$server_rate" "$(cut -d ' ' -f 2 "$folder/offsetd" | median)" | awk '{
            printf "  median   nginx %6d req/s, p99 %6.2f ms   offsetd %6d req/s, p99 %6.2f ms   ratio %.2f\n",
                $1, $2, $3, $4, $3 / $1 }'
}

# Half of the full load: each connection pauses between requests, at random, 10 ms on average.
half_load() {
    half=$((${server_rate%.*} / 200 / 2 * 2))
    : >"$folder/half"
    run=0
    while [ "$run" -lt 3 ]; do
        run=$((run + 1))
        measure "$server_url$path" "$seconds" "$half" -H "Accept-Encoding: $1" \
            -s "$root/bench/think.lua" >>"$folder/half"
        tail -n 1 "$folder/half" | awk -v full="$server_rate" \
            '{ printf "  at half load   offsetd %6d req/s (%2.0f %%), p99 %6.2f ms\n", $1, 100 * $1 / full, $2 }'
    done
    cut -d ' ' -f 2 "$folder/half" | median | awk '{ printf "  at half load   median p99 %.2f ms\n", $1 }'
}

# Prints the answers a second for an item, cached and not in memory.
#   $1  label   $2  the item, encoded for a URL
item_speed() {
    get "$server_url/v1/offsets/$build?types=$2" -o "$folder/answer"
    grep -q '"status":"found"' "$folder/answer" || fail "$2: $(cat "$folder/answer")"
    cached=$(measure "$server_url/v1/offsets/$build?types=$2" "$seconds" 2)
    # With an alternative that is not looked up, each request is another one.
    seq 1000 | sed "s/.*/$2%7Cmissing_&/" >"$folder/items"
    uncached=$(measure_uncached "$build" "$seconds" "$folder/items")
    printf '%s, cached: %.0f req/s\n%s, not in memory: %.0f req/s\n' "$1" "${cached%% *}" "$1" "${uncached%% *}"
}

printf 'offsetd %s, nginx %s, %s processors\n' \
    "$(curl -sS "$server_url/version")" "$(nginx -v 2>&1 | sed 's|.*/||')" "$(nproc)"
printf 'memory: %d MiB before the first query, %d MiB ten seconds later\n' "$idle_memory" "$later_memory"
compare_speed identity
printf '  memory: %d MiB under load\n' "$(server_memory)"
half_load identity
compare_speed gzip
names_of "$libc" "$folder/names"
measure_uncached "$build" 10 "$folder/names" >"$folder/warm-up"
measure_uncached "$build" "$seconds" "$folder/names" |
    awk '{ printf "\nnot in memory, two types at random, one connection   offsetd %6d req/s, p99 %6.2f ms\n", $1, $2 }'
# The first one warms up.
for label in warm-up member; do
    item_speed "$label" link_map.l_addr
done
for label in warm-up plan; do
    item_speed "$label" 'link_map.l_next-%3El_next-%3El_addr'
done
