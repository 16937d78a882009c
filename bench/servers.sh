# Starts and stops offsetd, on a temporary data folder, and nginx. The other scripts source it.
# shellcheck shell=sh

# Root of the repository.
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd -P)

server_port=${OFFSETD_BENCH_PORT:-18080}
nginx_port=${OFFSETD_BENCH_NGINX_PORT:-18081}
server_url=http://127.0.0.1:$server_port
nginx_url=http://127.0.0.1:$nginx_port
server_pid=
nginx_pid=

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

# Sets the variable "seconds" to the value of the option --seconds, and so on.
#   $1  the options, such as "[--seconds N] [--database FOLDER]"   $2...  arguments of the script
read_options() {
    usage="usage: bench/${0##*/} $1"
    shift
    while [ $# -gt 0 ]; do
        case $usage in
            *"[$1 N]"*) [ "${2:-none}" -gt 0 ] 2>/dev/null || fail "$1 ${2:-}: expected a positive number; $usage" ;;
            *"[$1 "*) [ $# -gt 1 ] || fail "$1: expected a value; $usage" ;;
            *) fail "$usage" ;;
        esac
        eval "${1#--}=\$2"
        shift 2
    done
}

# Ends with a list of missing tools and exit code 77. Arguments: Debian-package:command-or-file.
require() {
    missing=
    for needed in "$@"; do
        probe=${needed#*:}
        case $probe in
            /*) [ -e "$probe" ] || missing="$missing ${needed%%:*}" ;;
            *) command -v "$probe" >/dev/null 2>&1 || missing="$missing ${needed%%:*}" ;;
        esac
    done
    [ -z "$missing" ] || {
        say "missing; to install: apt-get install --no-install-recommends$missing"
        exit 77
    }
}

# Compiles the classes of query/src/jmh, unless the script that runs this one has done so.
compile_benchmarks() {
    [ -z "${benchmarks:-}" ] || return 0
    [ -x "${JAVA_HOME:-}/bin/java" ] || fail "JAVA_HOME is ${JAVA_HOME:-not set}; expected a JDK 25"
    (cd "$root" && ./mvnw -q -B -pl query -am -Pjmh -Dspotless.check.skip=true test-compile \
        dependency:build-classpath -Dmdep.includeScope=test -Dmdep.outputFile="$root/query/target/jmh/classpath") >&2
    benchmarks=$root/query/target/jmh/test-classes:$root/query/target/jmh/classes:$(cat "$root/query/target/jmh/classpath")
    export benchmarks
}

# Runs one of these classes.
#   $1  class   $2...  its arguments
run_benchmark() {
    # shellcheck disable=SC2086 # a list of options
    "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED ${OFFSETD_JAVA_OPTS:-} -cp "$benchmarks" "$@"
}

# Prints the path of this machine's C library: the one that awk maps. The loader's cache also lists other architectures.
libc_of_this_machine() {
    awk '/\/libc(-[0-9.]+)?\.so(\.6)?$/ { print $NF; exit }' /proc/self/maps
}

stop_all() {
    for pid in $nginx_pid $server_pid; do
        kill "$pid" 2>/dev/null || continue
        wait "$pid" 2>/dev/null || true
    done
    nginx_pid=
    server_pid=
    rm -rf "$folder"
}

# Makes a temporary folder. At the end of the script it is removed, and the servers are stopped.
make_folder() {
    folder=$(mktemp -d)
    # If root starts nginx, its workers run as another user.
    chmod 755 "$folder"
    trap stop_all EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# Waits until a URL answers 200.
#   $1  URL   $2  pid of the server   $3  its log
wait_for() {
    left=6000
    until curl -fso /dev/null "$1"; do
        kill -0 "$2" 2>/dev/null || fail "the server of $1 has ended: $(tail -n 5 "$3")"
        left=$((left - 1))
        [ "$left" -gt 0 ] || fail "$1 does not answer within ten minutes: $(tail -n 5 "$3")"
        sleep 0.1
    done
}

# Starts "offsetd serve" with these arguments, with closed reading unless read_auth is false. Sets server_pid.
start_server() {
    ! curl -so /dev/null "$server_url/livez" || fail "something listens on $server_url; OFFSETD_BENCH_PORT chooses a port"
    "$root/offsetd" train
    OFFSETD_READ_AUTH=${read_auth:-true} \
        OFFSETD_RATE_LIMIT_TOKEN_REQUESTS=100000000 OFFSETD_RATE_LIMIT_TOKEN_BURST=100000000 \
        "$root/offsetd" serve --data "$folder/data" --port "$server_port" "$@" >"$folder/server.log" 2>&1 &
    server_pid=$!
    wait_for "$server_url/readyz" "$server_pid" "$folder/server.log"
}

# Creates a token with scope read. Sets authorization.
make_token() {
    token=$("$root/offsetd" token create --data "$folder/data" --label bench --scope read 2>"$folder/token.log") ||
        fail "no token: $(cat "$folder/token.log")"
    authorization="Authorization: Bearer $token"
}

# GETs a path of a server with the token; passes further arguments to curl.
get() {
    url=$1
    shift
    curl -sS -H "$authorization" "$@" "$url"
}

# Prints the sorted headers of a response without those that differ between requests.
headers_of() {
    tr -d '\r' <"$1" | sed -n '2,$p' | grep -iv -e '^Date:' -e '^Server:' -e '^Connection:' -e '^$' |
        sed 's/^X-Request-ID:.*/X-Request-ID:/I' | LC_ALL=C sort
}

# Starts nginx with one of the server's answers as a file. Sets nginx_pid.
#   $1  path and query of the answer
# shellcheck disable=SC2016 # the variables are nginx's
start_nginx() {
    ! curl -so /dev/null "$nginx_url" || fail "something listens on $nginx_url; OFFSETD_BENCH_NGINX_PORT chooses a port"
    file=$folder/root${1%%\?*}
    mkdir -p "${file%/*}"
    get "$server_url$1" -D "$folder/identity.headers" -o "$file"
    get "$server_url$1" -D "$folder/gzip.headers" -H 'Accept-Encoding: gzip' -o "$file.gz"
    cp "$file" "$folder/identity.body"
    cp "$file.gz" "$folder/gzip.body"
    {
        # The tag of each content coding is its own.
        printf 'map $http_accept_encoding $tag {\n'
        printf "default '%s';\n" "$(header ETag "$folder/identity.headers")"
        printf "gzip '%s';\n" "$(header ETag "$folder/gzip.headers")"
        printf '}\nadd_header ETag $tag;\nadd_header X-Request-ID $request_id;\nadd_header Last-Modified "";\n'
        tr -d '\r' <"$folder/identity.headers" | sed -n '2,$p' |
            grep -iv -e '^Date:' -e '^Server:' -e '^Connection:' -e '^Keep-Alive:' -e '^$' -e '^ETag:' \
                -e '^X-Request-ID:' -e '^Content-Type:' -e '^Content-Length:' -e '^Content-Encoding:' |
            sed 's/^\([^:]*\): *\(.*\)$/add_header \1 "\2";/'
    } >"$folder/headers.conf"
    sed -e "s|@FOLDER@|$folder|g" -e "s|@PORT@|$nginx_port|g" "$root/bench/nginx.conf" >"$folder/nginx.conf"
    nginx -c "$folder/nginx.conf" >"$folder/nginx.log" 2>&1 &
    nginx_pid=$!
    wait_for "$nginx_url$1" "$nginx_pid" "$folder/nginx.log"
}

# Prints the value of a header in a file of headers.
header() {
    tr -d '\r' <"$2" | sed -n "s/^$1: *//Ip" | head -n 1
}

# Ends unless both servers send the same response.
#   $1  path and query
#   $2  identity or gzip
compare_answers() {
    for server in "$server_url" "$nginx_url"; do
        get "$server$1" -D "$folder/$2.now.headers" -H "Accept-Encoding: $2" -o "$folder/$2.now.body"
        cmp "$folder/$2.now.body" "$folder/$2.body" || fail "$server sends another body ($2)"
        headers_of "$folder/$2.now.headers" >"$folder/$2.${server##*:}"
    done
    diff -u "$folder/$2.$nginx_port" "$folder/$2.$server_port" >&2 || fail "the servers send different headers ($2)"
}

# Runs wrk and prints "requests-per-second p99-in-ms"; ends if a response is not 2xx.
#   $1  URL   $2  seconds   $3  connections   $4...  arguments of wrk
measure() {
    measured_url=$1
    measured_seconds=$2
    measured_connections=$3
    shift 3
    wrk -t2 -c"$measured_connections" -d"${measured_seconds}s" --timeout 10s --latency -H "$authorization" "$@" \
        "$measured_url" >"$folder/wrk.out"
    rate_and_p99 "$measured_url"
}

# Prints wrk's output as "requests-per-second p99-in-ms"; ends if a response is not 2xx.
#   $1  label of the measurement
rate_and_p99() {
    ! grep -e 'Non-2xx' -e 'Socket errors' "$folder/wrk.out" >&2 || fail "$1 failed under load"
    awk '
        /^ *99%/ {
            p99 = $2 + 0
            if ($2 ~ /us$/) p99 /= 1000
            else if ($2 !~ /ms$/) p99 *= 1000
        }
        /^Requests\/sec:/ { rate = $2 }
        END { printf "%.0f %.2f\n", rate, p99 }' "$folder/wrk.out"
}

# Prints the processor time of a process and its children so far, in ms.
cpu_of() {
    # shellcheck disable=SC2046 # one word per child
    cat "/proc/$1/stat" $(ps -o pid= --ppid "$1" | sed 's| *\(.*\)|/proc/\1/stat|') 2>/dev/null |
        awk -v parent="$1" '{ pid = $1; sub(/.*\) /, ""); total += $12 + $13; if (pid == parent) total += $14 + $15 }
            END { printf "%d\n", total * 10 }'
}

# Prints the anonymous memory of the server in MiB.
server_memory() {
    awk '$1 == "RssAnon:" { printf "%d", $2 / 1024 }' "/proc/$server_pid/status"
}

# Prints the median of the numbers on standard input, one per line.
median() {
    sort -n | awk '{ n[NR] = $1 } END { printf "%g\n", NR % 2 ? n[(NR + 1) / 2] : (n[NR / 2] + n[NR / 2 + 1]) / 2 }'
}

# Writes the type names of a build that need no encoding in a URL to a file.
#   $1  an ELF file of the build   $2  the file to write
names_of() {
    "$root/offsetd" types "$1" 2>"$folder/types.log" | awk '$NF ~ /^[A-Za-z_][A-Za-z0-9_]*$/ { print $NF }' | sort -u >"$2"
    [ "$(wc -l <"$2")" -gt 100 ] || fail "the names of the types of $1: $(cat "$folder/types.log")"
}

# Prints "requests-per-second p99-in-ms" of answers that are not in memory.
#   $1  build-id   $2  seconds   $3  file with names
measure_uncached() {
    wrk -t1 -c1 -d"$2s" --timeout 10s --latency -s "$root/bench/random.lua" \
        "$server_url/v1/offsets/$1" -- "$3" "$token" >"$folder/wrk.out"
    rate_and_p99 "$1"
}
