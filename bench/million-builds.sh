#!/bin/sh
# Measures the cost of a million builds: cached and uncached answers, the list of builds and searches by name, with one
# build in the table and then with a million more. Those are copies of a real build's row with catalogues of one byte,
# and names from bench/identities.sql.
#
#   bench/million-builds.sh [--builds N] [--seconds N]      default: 1000000 and 10
#
# Debian packages: wrk curl libc6-dbg postgresql-client. Leaves nothing behind; needs about 3 GB in the folder for temporary
# files while it runs.

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

builds=1000000
seconds_each=10
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "usage: bench/million-builds.sh [--builds N] [--seconds N]"
    case $1 in
        --builds) builds=$2 ;;
        --seconds) seconds_each=$2 ;;
        *) fail "usage: bench/million-builds.sh [--builds N] [--seconds N]" ;;
    esac
    shift 2
done

require wrk:wrk curl:curl libc6-dbg:/usr/lib/debug/.build-id postgresql-client:psql
libc=$(libc_of_this_machine)
make_folder
start_server --offline
make_token
build=$("$root/offsetd" build-id "$libc")
path="/v1/offsets/$build?types=pthread,link_map,r_debug,dtv_slotinfo_list,malloc_state"
code=$(get "$server_url$path" -o "$folder/answer" -w '%{http_code}' -H 'Prefer: wait=30')
[ "$code" = 200 ] || fail "the build of $libc: $code, $(cat "$folder/answer")"
names_of "$libc" "$folder/names"

database() {
    PGPASSWORD=$(cat "$folder/data/postgres.password") psql -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 \
        -p "$(sed -n 4p "$folder/data/postgres/postmaster.pid")" -U postgres postgres "$@"
}

# Median time in ms of 20 pages of the list of builds, from the middle on.
list_time() {
    url="$server_url/v1/builds?limit=100&prefix=8"
    page=0
    while [ "$page" -lt 20 ]; do
        page=$((page + 1))
        get "$url" -o "$folder/page" -w '%{time_total}\n'
        next=$(sed -n 's/.*"next":"\([^"]*\)".*/\1/p' "$folder/page")
        [ -z "$next" ] || url=$server_url$next
    done | median | awk '{ printf "%.1f", 1000 * $1 }'
}

# Median time in ms of ten first pages of a search, and the number of builds on them.
search_time() {
    turn=0
    while [ "$turn" -lt 10 ]; do
        turn=$((turn + 1))
        get "$server_url/v1/builds?limit=50&$1" -o "$folder/page" -w '%{time_total}\n'
    done | median | awk '{ printf "%.1f", 1000 * $1 }'
    printf ' ms, %s builds' "$(grep -o '"buildId"' "$folder/page" | wc -l)"
}

measure_searches() {
    rare=$(database -At -c "select family from build_identities where family is not null limit 1 offset 5000")
    for query in "q=$rare" "q=$rare+arm64" q=arm64 q=debian+arm64 q=lib+1.4+arm64 q=1.4+fedora q=s390x+2.1 \
        q=amd64+arm64 q=debian+ubuntu q=1.4+2.1 q=libc+libd+amd64 \
        'name=lib&version=1.4.2&distribution=Debian+13' machine=s390x; do
        printf '%60s: %s\n' "$query" "$(search_time "$query")"
    done
}

measure_all() {
    measure "$server_url$path" "$seconds_each" 64 >"$folder/cached"
    measure_uncached "$build" "$seconds_each" "$folder/names" >"$folder/uncached"
    printf '%8d builds   cached %s req/s, p99 %s ms   uncached %s req/s, p99 %s ms   page of 100 builds %s ms\n' \
        "$(database -At -c 'select count(*) from builds')" \
        "$(cut -d ' ' -f 1 "$folder/cached")" "$(cut -d ' ' -f 2 "$folder/cached")" \
        "$(cut -d ' ' -f 1 "$folder/uncached")" "$(cut -d ' ' -f 2 "$folder/uncached")" "$(list_time)"
}

measure "$server_url$path" 20 64 >"$folder/warm-up"
measure_uncached "$build" 10 "$folder/names" >"$folder/warm-up"
measure_all
measure_all
database -v builds="$builds" -v identities="$root/bench/identities.sql" <<'SQL'
create temporary table made_up as
    select b.*, decode(md5(n::text) || substr(md5(n::text || 'x'), 1, 8), 'hex') as made_up_id
    from builds b, generate_series(1, :builds) n where b.state = 'extracted';
create temporary table made_up_files as
    select f.*, made_up_id from debug_files f join made_up using (build_id);
update made_up set build_id = made_up_id;
alter table made_up drop column made_up_id;
insert into builds select * from made_up;
update made_up_files set build_id = made_up_id;
alter table made_up_files drop column made_up_id;
insert into debug_files select * from made_up_files;
insert into catalogues (build_id, bytes, blob) select build_id, 1, '\x00' from made_up;
insert into symbol_tables (build_id, bytes, blob) select build_id, 1, '\x00' from made_up;
\i :identities
analyze builds;
analyze build_identities;
analyze identity_facets;
analyze debug_files;
analyze catalogues;
SQL
measure_all
measure_all
measure_searches
