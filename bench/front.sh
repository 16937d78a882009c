#!/bin/sh
# Measures nginx with packaging/nginx.conf in front of a server: cached answers beside an nginx that serves the same bytes
# as a file (bench/nginx.conf), in alternating runs, with the processor time of each; then how long the cache serves an
# answer that a pin has changed.
#
#   bench/front.sh [--seconds N] [--pairs N] [--connections N]      default: 10, 5 and 64
#
# Debian packages: nginx wrk curl libc6-dbg. Leaves nothing behind; its servers listen on 127.0.0.1 only.

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

seconds=10
pairs=5
connections=64
read_options '[--seconds N] [--pairs N] [--connections N]' "$@"
items=pthread,link_map,r_debug,dtv_slotinfo_list,malloc_state
libc=$(libc_of_this_machine)
require nginx:nginx wrk:wrk curl:curl libc6-dbg:/usr/lib/debug/.build-id
front_port=$((nginx_port + 1))
front_url=http://127.0.0.1:$front_port
front_pid=
make_folder

stop_front() {
    [ -z "$front_pid" ] || kill "$front_pid" 2>/dev/null || true
    stop_all
}
trap stop_front EXIT

# Starts nginx with the configuration of packaging/. Sets front_pid.
start_front() {
    mkdir -p "$folder/front"
    {
        # nginx drops the rights of root, and must be able to write its cache.
        [ "$(id -u)" -ne 0 ] || echo 'user root;'
        sed -e "s|listen 8081|listen 127.0.0.1:$front_port|" -e "s|server 10.0.0.11:8080;|server 127.0.0.1:$server_port;|" \
            -e '/server 10.0.0.12:8080;/d' -e "s|/run/nginx.pid|$folder/front/pid|" \
            -e "s|/var/cache/nginx/offsetd|$folder/front/cache|" "$root/packaging/nginx.conf" |
            awk -v f="$folder/front" '{ print } /^http \{/ { split("client_body proxy fastcgi uwsgi scgi", kinds, " ")
                for (i in kinds) print kinds[i] "_temp_path " f "/" kinds[i] ";" }'
    } >"$folder/front.conf"
    nginx -e stderr -c "$folder/front.conf" >"$folder/front.log" 2>&1 &
    front_pid=$!
    wait_for "$front_url/livez" "$front_pid" "$folder/front.log"
}

# Runs wrk and prints "requests-per-second p99-in-ms us-per-request" with the processor time of nginx.
#   $1  URL   $2  pid of nginx
load() {
    before=$(cpu_of "$2")
    measure "$1" "$seconds" "$connections" >"$folder/measured"
    after=$(cpu_of "$2")
    awk -v cpu=$((after - before)) 'NR == FNR { if (/requests in/) n = $1; next } { print $1, $2, 1000 * cpu / n }' \
        "$folder/wrk.out" "$folder/measured"
}

measure_speed() {
    printf '%d bytes, %d connections, %d s each, load average %s\n' "$(wc -c <"$folder/identity.body")" "$connections" \
        "$seconds" "$(cut -d ' ' -f 1 /proc/loadavg)"
    load "$front_url$path" "$front_pid" >"$folder/warm-up"
    : >"$folder/pairs"
    pair=0
    while [ "$pair" -lt "$pairs" ]; do
        pair=$((pair + 1))
        printf '%s %s\n' "$(load "$nginx_url$path" "$nginx_pid")" "$(load "$front_url$path" "$front_pid")" >>"$folder/pairs"
        tail -n 1 "$folder/pairs" | awk '{
            printf "  file %6d req/s, p99 %6.2f ms, %5.1f us   cache %6d req/s, p99 %6.2f ms, %5.1f us   ratio %.2f, of processor time %.2f\n",
                $1, $2, $3, $4, $5, $6, $4 / $1, $3 / $6 }'
    done
    printf '  median ratio %s, of processor time %s\n' "$(awk '{ print $4 / $1 }' "$folder/pairs" | median)" \
        "$(awk '{ print $3 / $6 }' "$folder/pairs" | median)"
}

# Fetches an answer by 20 queries, one each three seconds, changes it, and prints when each query shows that.
#   $1  what changes   $2...  command that changes it
measure_staleness() {
    what=$1
    shift
    copies=
    while [ "$(echo "$copies" | wc -w)" -lt 20 ] && read -r copy; do
        # An answer with misses expires earlier.
        curl -sS "$front_url/v1/offsets/$build?types=link_map.l_addr,$copy" -o "$folder/copy.$copy"
        grep -q '"complete": *true' "$folder/copy.$copy" || continue
        copies="$copies $copy"
        sleep 3
    done <"$folder/names"
    "$@"
    changed=$(date +%s.%N)
    : >"$folder/delays"
    pending=$copies
    while [ -n "$pending" ]; do
        left=
        for copy in $pending; do
            curl -fsS "$front_url/v1/offsets/$build?types=link_map.l_addr,$copy" -o "$folder/now"
            if cmp -s "$folder/now" "$folder/copy.$copy"; then
                left="$left $copy"
            else
                date +%s.%N | awk -v from="$changed" '{ print $1 - from }' >>"$folder/delays"
            fi
        done
        pending=$left
        sleep 0.1
    done
    sort -n "$folder/delays" | awk -v what="$what" '{ t[NR] = $1 }
        END { printf "  %s: stale for %.1f s at least, %.1f s (median), %.1f s at most\n", what, t[1], t[10], t[NR] }'
}

pin() {
    curl -fsS -o "$folder/pin" -H "Authorization: Bearer $admin" -H 'Content-Type: application/json' "$server_url/v1/pins" -d "{
        \"buildId\": \"$build\", \"item\": \"link_map.l_addr\", \"reason\": \"bench\", \"value\": {\"offset\": 16, \"size\": 8}}"
}

read_auth=false
start_server --offline
build=$("$root/offsetd" build-id "$libc")
path="/v1/offsets/$build?types=$items"
# A header that makes no answer private.
authorization='Accept: application/json'
code=$(get "$server_url$path" -o "$folder/answer" -w '%{http_code}' -H 'Prefer: wait=30')
[ "$code" = 200 ] || fail "the build of $libc: $code, $(cat "$folder/answer")"
admin=$("$root/offsetd" token create --data "$folder/data" --label bench --scope admin 2>"$folder/token.log") ||
    fail "no token: $(cat "$folder/token.log")"
start_nginx "$path"
start_front
printf 'offsetd %s, nginx %s, %s processors\n' "$(curl -sS "$server_url/version")" "$(nginx -v 2>&1 | sed 's|.*/||')" "$(nproc)"
measure_speed
names_of "$libc" "$folder/names"
measure_staleness 'after a pin' pin
