#!/bin/sh
# Measures the cost of ten million builds. It fills PostgreSQL with made-up builds (bench/builds.sql, bench/identities.sql),
# runs two servers on it, and prints cached and uncached answers, pages, searches, polls of 20 servers, sweeps, a backup, the
# size of each table, and slow statements. Compare with a run of --builds 20000.
#
#   bench/ten-million-builds.sh [--builds N] [--seconds N] [--database FOLDER]      default: 10000000 and 10
#
# --database keeps the filled database in FOLDER for the next run. Needs 2 kB of disk per build, and the same again while
# it fills. Debian packages: wrk curl gcc libc6-dev bc postgresql-client postgresql-15 (for pgbench).

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

builds=10000000
seconds=10
database=
read_options '[--builds N] [--seconds N] [--database FOLDER]' "$@"
[ "$builds" -ge 20000 ] || fail "--builds $builds: expected at least 20000"

pgbench=$(command -v pgbench || find /usr/lib/postgresql -name pgbench 2>/dev/null | tail -n 1)
require wrk:wrk curl:curl gcc:gcc bc:bc postgresql-client:psql "postgresql:${pgbench:-pgbench}"
make_folder
database=${database:-$folder/database}
postgres_port=$((server_port + 5))
other_port=$((server_port + 6))
postgres_pid=
other_pid=

stop_everything() {
    for pid in $other_pid $server_pid; do
        kill "$pid" 2>/dev/null || continue
        wait "$pid" 2>/dev/null || true
    done
    server_pid=
    stop_postgres
    stop_all
}
trap stop_everything EXIT

# Starts PostgreSQL on the filled database, with these options. Sets postgres_pid.
start_postgres() {
    # PostgreSQL refuses to run as root. offsetd has given it the data where root cannot make user namespaces.
    as_user=
    owner=$(stat -c %u "$database/postgres")
    [ "$(id -u)" -ne 0 ] || as_user='unshare -U'
    [ "$owner" -eq "$(id -u)" ] || as_user="setpriv --reuid=$owner --regid=$owner --clear-groups --inh-caps=-all"
    # shellcheck disable=SC2086 # a list of words
    $as_user "$database/programs/bin/postgres" -D "$database/postgres" -p "$postgres_port" -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories= -c shared_buffers=1GB -c max_wal_size=4GB "$@" >>"$folder/postgres.log" 2>&1 &
    postgres_pid=$!
    until sql -c 'select' >/dev/null 2>&1; do
        kill -0 "$postgres_pid" 2>/dev/null || fail "PostgreSQL has ended: $(tail -n 5 "$folder/postgres.log")"
        sleep 0.2
    done
}

stop_postgres() {
    [ -n "$postgres_pid" ] || return 0
    kill -INT "$postgres_pid" 2>/dev/null || true
    wait "$postgres_pid" 2>/dev/null || true
    postgres_pid=
}

sql() {
    PGPASSWORD=$(cat "$database/password") psql -X -q -At -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$postgres_port" \
        -U postgres postgres "$@"
}

# Makes a library with N structs of eight members and debug information.
#   $1  number   $2  folder with a .build-id folder   prints its build-id
make_library() {
    seq "$1" | sed 's/.*/struct made_up_& { long a, b; char name[&]; int *next; short c, d, e, f; } object_&;/' >"$folder/made_up.c"
    gcc -g -shared -fPIC -nostdlib -Wl,--build-id -o "$folder/made_up.so" "$folder/made_up.c"
    made_up=$("$root/offsetd" build-id "$folder/made_up.so")
    made_up_file=$2/.build-id/$(echo "$made_up" | sed 's|^..|&/|').debug
    mkdir -p "${made_up_file%/*}"
    mv "$folder/made_up.so" "$made_up_file"
    echo "$made_up"
}

# Starts a server on the filled database, with slow statements in its log.
#   $1  port   $2  data folder   prints nothing; sets started
start_on_database() {
    SPRING_DATASOURCE_URL=jdbc:postgresql://127.0.0.1:$postgres_port/postgres SPRING_DATASOURCE_USERNAME=postgres \
        SPRING_DATASOURCE_PASSWORD=$(cat "$database/password") OFFSETD_READ_AUTH=true OFFSETD_LOCAL_FOLDERS='' \
        OFFSETD_RATE_LIMIT_TOKEN_REQUESTS=100000000 OFFSETD_RATE_LIMIT_TOKEN_BURST=100000000 \
        OFFSETD_BUILDS_SWEEP=20s OFFSETD_DEMAND_SWEEP=20s \
        "$root/offsetd" serve --data "$2" --port "$1" --offline >"$2.log" 2>&1 &
    started=$!
    wait_for "http://127.0.0.1:$1/readyz" "$started" "$2.log"
}

# Fills the database: a server extracts the two libraries, and bench/builds.sql multiplies them.
fill_database() {
    export OFFSETD_LOCAL_FOLDERS="$folder/local"
    large=$(make_library 20 "$folder/local")
    small=$(make_library 2 "$folder/local")
    start_server --offline
    make_token
    for build in $large $small; do
        code=$(get "$server_url/v1/offsets/$build?types=made_up_1.name" -o "$folder/answer" -w '%{http_code}' -H 'Prefer: wait=30')
        [ "$code" = 200 ] || fail "$build: $code, $(cat "$folder/answer")"
    done
    kill "$server_pid"
    wait "$server_pid" || true
    server_pid=
    unset OFFSETD_LOCAL_FOLDERS
    mkdir -p "$database"
    cp "$folder/data/postgres.password" "$database/password"
    cp -R "$(dirname "$(dirname "$(find "$folder/data/postgres-bin" -path '*/bin/postgres' | head -n 1)")")" "$database/programs"
    mv "$folder/data/postgres" "$database/postgres"
    rm -rf "$folder/data"
    echo "$token" >"$database/token"
    say "filling the database with $builds builds"
    start_postgres -c fsync=off -c wal_level=minimal -c max_wal_senders=0 -c full_page_writes=off -c autovacuum=off
    sql -v builds="$builds" -v small="$small" -v large="$large" -v uploads=1000 -v identities="$root/bench/identities.sql" \
        -f "$root/bench/builds.sql" >"$folder/fill.log"
    sql -c 'checkpoint'
    stop_postgres
    echo "$builds" >"$database/filled"
}

# Runs wrk, and prints requests per second, p99, and processor time per request.
#   $1  label   $2  URL   $3...  arguments of wrk
load() {
    label=$1
    load_url=$2
    shift 2
    server_before=$(cpu_of "$server_pid")
    database_before=$(cpu_of "$postgres_pid")
    wrk -d"${seconds}s" --timeout 10s --latency -H "$authorization" "$@" "$load_url" -- "$folder/ids" "$token" builds >"$folder/wrk.out"
    server_after=$(cpu_of "$server_pid")
    database_after=$(cpu_of "$postgres_pid")
    requests=$(awk '/requests in/ { print $1 }' "$folder/wrk.out")
    rate_and_p99 "$load_url" | awk -v label="$label" -v n="$requests" -v s=$((server_after - server_before)) \
        -v d=$((database_after - database_before)) '{
        printf "%45s: %d a second, p99 %.2f ms; processor time of a request: server %d us, database %d us\n",
            label, $1, $2, 1000 * s / n, 1000 * d / n }'
}

# Three rounds of cached answers, and of uncached answers of random builds. A round before them warms up.
measure_answers() {
    id=$(head -n 1 "$folder/ids")
    round=0
    while [ "$round" -lt 4 ]; do
        load cached "$server_url/v1/offsets/$id?types=made_up_1.name,made_up_2.next" -t1 -c16 >"$folder/cached"
        load uncached "$server_url" -t1 -c2 -s "$root/bench/random.lua" >"$folder/uncached"
        [ "$round" -eq 0 ] || cat "$folder/cached" "$folder/uncached"
        round=$((round + 1))
    done
}

# Prints the lowest, median and highest time in ms of a command that prints a time in seconds.
times_of() {
    turn=0
    while [ "$turn" -lt 20 ]; do
        turn=$((turn + 1))
        "$@"
    done | sort -n | awk '{ t[NR] = 1000 * $1 } END { printf "%6.1f, %6.1f, %6.1f ms", t[1], (t[10] + t[11]) / 2, t[NR] }'
}

# GETs a page and prints its time.
page_time() {
    get "$server_url$1" -o "$folder/page" -w '%{http_code} %{time_total}\n' | awk '$1 != 200 { exit 1 } { print $2 }' ||
        fail "$1: $(cat "$folder/page")"
}

# GETs the next page of a list, and prints its time.
next_page_time() {
    page_time "$(cat "$folder/next")"
    next=$(sed -n 's/.*"next":"\([^"]*\)".*/\1/p' "$folder/page")
    [ -z "$next" ] || echo "$next" >"$folder/next"
}

measure_pages() {
    echo '/v1/builds?limit=100' >"$folder/next"
    printf '%45s: %s\n' 'pages of 100 builds' "$(times_of next_page_time)"
    echo '/v1/demand?limit=100' >"$folder/next"
    printf '%45s: %s\n' 'pages of demand' "$(times_of next_page_time)"
    rare=$(sql -c "select family from build_identities where family is not null limit 1 offset 5000")
    for query in "q=$rare" "q=$rare+arm64" q=arm64 q=debian+arm64 q=lib+1.4+arm64 q=1.4+fedora q=s390x+2.1 \
        q=amd64+arm64 q=debian+ubuntu q=1.4+2.1 q=libc+libd+amd64 \
        'name=lib&version=1.4.2&distribution=Debian+13' machine=s390x state=not_found; do
        printf '%45s: %s' "$query" "$(times_of page_time "/v1/builds?limit=50&$query")"
        page_time "/v1/builds?limit=50&$query" >"$folder/time"
        printf ', %s builds\n' "$(grep -o '"buildId"' "$folder/page" | wc -l)"
    done
    printf '%45s: %s\n' 'volatility/banners.json' "$(times_of page_time /volatility/banners.json)"
}

# Issues what 20 idle servers issue, while two servers work.
measure_polls() {
    cat >"$folder/poll.sql" <<'SQL'
select value as counter, everything, pg_postmaster_start_time() as database_started from change_counter \gset
select build_id, generation from builds where generation > :counter order by generation limit 1001;
select revision from token_revision;
select true;
SQL
    before=$(cpu_of "$postgres_pid")
    PGPASSWORD=$(cat "$database/password") "$pgbench" -n -h 127.0.0.1 -p "$postgres_port" -U postgres -c 20 -j 1 -R 40 \
        -T "$((seconds * 3))" -M prepared -f "$folder/poll.sql" -l --log-prefix="$folder/polls" postgres >"$folder/pgbench.log" 2>&1 ||
        fail "pgbench: $(tail -n 3 "$folder/pgbench.log")"
    after=$(cpu_of "$postgres_pid")
    # A poll that ran late because the client was late does not count as slow.
    cat "$folder"/polls.* | awk '{ print ($3 - $7) / 1000 }' | sort -n | awk -v s=$((seconds * 3)) -v cpu=$((after - before)) '
        { t[NR] = $1 }
        END { printf "%45s: %d in %d s, median %.2f ms, p99 %.2f ms; database %.1f %% of a processor, two servers included\n",
            "polls of 20 servers", NR, s, t[int(NR / 2) + 1], t[int(NR * 0.99)], cpu / s / 10 }'
}

# Prints the statements that took long, the slowest of each kind.
slow_statements() {
    printf '\nslow statements: ms of processor and disk, count, text\n'
    tr '\n' ' ' <"$folder/postgres.log" | sed 's/[0-9-]* [0-9:.]* [A-Z]* \[[0-9]*\] LOG: /\n/g' | tr -s ' \t' ' ' |
        sed -n 's/^ *duration: \([0-9.]*\) ms *\(execute [^:]*\|statement\): \(.*\)/\1 \3/p' |
        awk '{ ms = $1; $1 = ""; key = substr($0, 1, 160); n[key]++; if (ms > max[key]) max[key] = ms }
            END { for (key in n) printf "%10.1f %6d %s\n", max[key], n[key], key }' | sort -rn | head -n 25
}

[ -e "$database/filled" ] || fill_database
builds=$(cat "$database/filled")
token=$(cat "$database/token")
authorization="Authorization: Bearer $token"
start_postgres -c log_min_duration_statement=100 -c log_line_prefix='%m [%p] '
printf 'tables\n'
sql -F ' ' -c "select rpad(relname, 24), lpad(n_live_tup::text, 10), 'rows',
    lpad(round(pg_table_size(relid) / 1e6)::text, 8), 'MB,  indexes', lpad(round(pg_indexes_size(relid) / 1e6)::text, 8), 'MB,',
    round(pg_total_relation_size(relid) / $builds.0), 'bytes per build'
    from pg_stat_user_tables where pg_total_relation_size(relid) > 1e6 order by pg_total_relation_size(relid) desc"
sql -c "select 'database ' || round(pg_database_size(current_database()) / 1e6) || ' MB, '
    || round(pg_database_size(current_database()) / $builds.0) || ' bytes per build'"
began=$(date +%s.%N)
start_on_database "$server_port" "$folder/first"
server_pid=$started
printf 'start of a server: %.1f s\n' "$(echo "$(date +%s.%N) - $began" | bc)"
start_on_database "$other_port" "$folder/second"
other_pid=$started

sql -c "select encode(build_id, 'hex') from builds tablesample bernoulli (2000000 / $builds.0) where state = 'extracted'
    order by random() limit 20000" >"$folder/ids"
printf '\n'
measure_answers
measure_pages
measure_polls
printf '\nbackup\n'
before=$(cpu_of "$postgres_pid")
began=$(date +%s.%N)
SPRING_DATASOURCE_URL=jdbc:postgresql://127.0.0.1:$postgres_port/postgres SPRING_DATASOURCE_USERNAME=postgres \
    SPRING_DATASOURCE_PASSWORD=$(cat "$database/password") "$root/offsetd" backup "$folder/backup" >"$folder/backup.log" 2>&1 ||
    fail "backup: $(cat "$folder/backup.log")"
printf '%.1f s, database %d ms of processor time, %d bytes\n' "$(echo "$(date +%s.%N) - $began" | bc)" \
    "$(($(cpu_of "$postgres_pid") - before))" "$(wc -c <"$folder/backup")"
grep -h -e 'deleted' "$folder/first.log" "$folder/second.log" || true
slow_statements
