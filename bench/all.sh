#!/bin/sh
# Measures what docs/performance.md compares with peers, each beside its peer on this machine, and prints a table with
# ratios for each subject. Takes about half an hour. A row whose file or tool is missing says so; if one fails, so does
# this script.
#
#   bench/all.sh [--libruby FILE] [--vmlinux FILE] [--ceph FILE] [--clone] [--quick] [--renew]
#
# --clone also measures the first start from a clone, --quick has few runs of each, and --renew replaces the tables
# in docs/performance.md.
# Debian packages: those of first-answer.sh, serve.sh, start.sh and peers.sh. The files are from Debian, for example:
#
#   curl -Lo libruby.debug https://debuginfod.debian.net/buildid/BUILD-ID/debuginfo
#   apt-get download ceph-osd-dbg && dpkg-deb -x ceph-osd-dbg_*.deb ceph && ls -S $(find ceph -name '*.debug') | head -n 1
#   apt-get download linux-image-VERSION-dbg && dpkg-deb -x linux-image-*-dbg_*.deb linux && find linux -name 'vmlinux-*'
#
# Leaves only the build behind. Other work on the machine makes figures useless, except for ratios in one row.

# shellcheck disable=SC2016 # the backquotes are Markdown
set -eu
# shellcheck source=bench/readers.sh
. "$(dirname "$0")/readers.sh"

usage='usage: bench/all.sh [--libruby FILE] [--vmlinux FILE] [--ceph FILE] [--clone] [--quick] [--renew]'
libruby=
vmlinux=
ceph=
clone=
quick=
renew=
verdict=0
while [ $# -gt 0 ]; do
    case $1 in
        --clone) clone=yes ;;
        --quick) quick=yes ;;
        --renew) renew=yes ;;
        --libruby | --vmlinux | --ceph)
            { [ $# -gt 1 ] && [ -r "$2" ]; } || fail "$usage; FILE must be readable: ${2:-}"
            case $1 in
                --libruby) libruby=$2 ;;
                --vmlinux) vmlinux=$2 ;;
                --ceph) ceph=$2 ;;
            esac
            shift
            ;;
        *) fail "$usage" ;;
    esac
    shift
done
require jq:jq curl:curl python3:"$python"
unset DEBUGINFOD_URLS
make_folder
document=$root/docs/performance.md
tables=$folder/tables
install_offsetd

# Prints this number of runs, or few with --quick.
runs() {
    [ -n "$quick" ] && echo $(($1 / 5 + 1)) || echo "$1"
}

# Starts a table and prints its head.
#   $1  the subject of its rows
subject() {
    printf '\n### %s\n\n| what | offsetd | beside | ratio |\n|---|---|---|--:|\n' "$1" | tee -a "$tables"
}

# Prints a figure with three digits, or those before its point.
rounded() {
    awk -v value="$1" 'BEGIN { print value ~ /[.]/ ? sprintf(value >= 100 ? "%.0f" : "%.3g", value) : value }'
}

# Adds a row to the table and prints it.
#   $1  what   $2  offsetd's figure   $3  its unit   $4  the peer's figure   $5  what the peer is
# Figures are numbers; the ratio is offsetd's to the peer's. A missing figure is "-".
row() {
    [ -n "$2" ] && [ -n "$4" ] || broken "$1: no figure"
    set -- "$1" "$(rounded "$2")" "$3" "$(rounded "$4")" "$5"
    ratio=$(awk -v ours="$2" -v peer="$4" 'BEGIN { print (peer > 0 && ours != "-") ? sprintf("%.2f", ours / peer) : "-" }')
    [ "$4" = - ] && beside=$5 || beside="$4 $3: $5"
    printf '| %s | %s %s | %s | %s |\n' "$1" "$2" "$3" "$beside" "$ratio" | tee -a "$tables"
}

# Adds a row without figures.
#   $1  what   $2  what is missing
missing() {
    printf '| %s | missing: %s | | - |\n' "$1" "$2" | tee -a "$tables"
}

# Shows what is broken, and makes the script fail at its end.
broken() {
    say "$*"
    verdict=1
}

# Runs a script of this folder. Fails if it does, and shows the end of its output unless it only lacks a tool.
#   $1  the file for its output   $2...  the script and its arguments
run() {
    output=$1
    script=$2
    shift 2
    say "$script $*"
    code=0
    "$root/bench/$script" "$@" >"$output" 2>"$output.log" || code=$?
    case $code in 0 | 77) ;; *) broken "$script: exit code $code: $(tail -n 3 "$output.log")" ;; esac
    return "$code"
}

# Prints the last line of a script's messages, which names the error.
reason() {
    tail -n 1 "$1.log" | tr '|' '/'
}

# Prints the median of a command's wall time in ms over some runs.
#   $1  runs   $2...  the command
elapsed() {
    left=$1
    shift
    while [ "$left" -gt 0 ]; do
        left=$((left - 1))
        "$python" "$root/bench/timed.py" --limit 600 "$@" || return 1
    done | cut -d ' ' -f 1 | median | awk '{ printf "%.0f", $1 }'
}

# Measures the first answer of an unknown build. Beside it: the warm reading of its types, in process.
#   $1  label   $2  file, or empty   $3  option that gives it   $4  item   $5  runs   $6  runs to warm up
first_answer() {
    what="first answer for an unknown $1, after the download"
    if [ -z "$2" ]; then
        missing "$what" "$3 FILE"
    elif ! run "$folder/first" first-answer.sh "$2" "$4" --runs "$5" --warm-up "$6"; then
        missing "$what" "$(reason "$folder/first")"
    else
        measure_reader "$folder/bench" --runs 10 --warm-up "$((2 * $6))" "$2" "$4"
        catalogue=$(measurement "$folder/bench" 'whole catalogue' | cut -d ' ' -f 3 | awk '{ printf "%.0f", $1 }')
        answer=$(sed -n 's/.*  median .*first answer *\([0-9]*\) ms after it.*/\1/p' "$folder/first")
        row "$what" "$answer" ms "$catalogue" 'all types read in a warm process'
        row "memory of the server after $1" "$(sed -n 's/.*server \([0-9]*\) MiB$/\1/p' "$folder/first")" MiB - ''
    fi
}

# Measures the first functions and lines of an unknown build.
#   $1  label   $2  file, or empty   $3  option that gives it   $4  runs   $5  runs to warm up
first_lines() {
    what="first functions and lines of an unknown $1, after the download"
    address=$(nm -S --defined-only "$2" 2>/dev/null | awk 'NF == 4 && $3 == "T" { print "0x" $1; exit }')
    if [ -z "$address" ]; then
        missing "$what" "$3 FILE"
    elif ! run "$folder/first" first-answer.sh "$2" "$address" --runs "$4" --warm-up "$5"; then
        missing "$what" "$(reason "$folder/first")"
    else
        row "$what" "$(sed -n 's/.*  median .*first answer *\([0-9]*\) ms after it.*/\1/p' "$folder/first")" ms - ''
    fi
}

# Measures commands over a file, beside the readers that are installed.
#   $1  label   $2  file, or empty   $3  option that gives it   $4  type   $5  runs
processes() {
    what="\`extract $4\` of $1, process"
    if [ -z "$2" ]; then
        missing "$what" "$3 FILE"
        return
    fi
    if ! run "$folder/peers" peers.sh "$2" "$4" --runs "$5"; then
        missing "$what" "$(reason "$folder/peers")"
        return
    fi
    ours=$(peer offsetd process '' 7)
    for reader in go drgn gdb; do
        theirs=$(peer $reader process '' 7)
        [ -z "$theirs" ] || row "$what" "$ours" ms "$theirs" "$reader"
    done
    row "the same, peak memory" "$(peer offsetd process '' 11)" MiB - ''
    whole=$(peer offsetd 'in process' 'whole catalogue' 7)
    row "all types of $1, warm" "$whole" ms "$(elapsed 1 readelf --debug-dump=info "$2")" '`readelf --debug-dump=info`, process'
}

# Prints a column of the first row of bench/peers.sh for a reader; nothing if it has no figure.
#   $1  reader   $2  how   $3  start of what it does   $4  column
peer() {
    awk -F ' *[|] *' -v reader="$1" -v how="$2" -v does="$3" -v column="$4" '
        $2 == reader && index($3, how) == 1 && index($4, does) == 1 && $column != "-" { print $column; exit }' "$folder/peers"
}

# Measures all types of the C++ file as processes.
large_program() {
    if [ -z "$ceph" ]; then
        missing '`types` of ceph-osd, process' '--ceph FILE'
        return
    fi
    row '`extract PG` of ceph-osd, process' "$(elapsed 3 "$installed" extract "$ceph" PG)" ms - ''
    row '`types` of ceph-osd, process' "$(elapsed 2 "$installed" types "$ceph")" ms - ''
    row 'the same, peak memory' "$(peak_memory "$installed" types "$ceph")" MiB - ''
}

# Measures functions, files and lines.
#   $1  label   $2  file, or empty   $3  option that gives it   $4  runs   $5  builds
lines() {
    if [ -z "$2" ]; then
        missing "lines of $1" "$3 FILE"
    elif ! run "$folder/lines" lines.sh "$2" --runs "$4" --builds "$5"; then
        missing "lines of $1" "$(reason "$folder/lines")"
    else
        while IFS='|' read -r what ours unit theirs peer; do
            row "$1: $what" "$ours" "$unit" "$theirs" "$peer"
        done <"$folder/lines"
    fi
}

served() {
    if ! run "$folder/serve" serve.sh --pairs "$(runs 5)" --seconds "$(runs 10)"; then
        missing 'cached answers' "$(reason "$folder/serve")"
        return
    fi
    # The median of each content coding, and of each server: requests a second and p99.
    sed -n 's/^\([a-z]*\), [0-9]* bytes.*/\1/p; s/^  median *nginx *\([0-9]*\) req.s, p99 *\([0-9.]*\) ms *offsetd *\([0-9]*\) req.s, p99 *\([0-9.]*\) ms.*/\1 \2 \3 \4/p' \
        "$folder/serve" | paste -d ' ' - - >"$folder/medians"
    while read -r coding theirs their_p99 ours our_p99; do
        row "cached answers, $coding" "$ours" 'a second' "$theirs" 'nginx, the same bytes'
        row "the same, p99 at full load" "$our_p99" ms "$their_p99" nginx
    done <"$folder/medians"
    row 'cached answers, p99 at half load' "$(sed -n 's/.*median p99 \([0-9.]*\) ms/\1/p' "$folder/serve")" ms - ''
    row 'uncached answers, two types, one connection' \
        "$(sed -n 's/.*one connection *offsetd *\([0-9]*\) req.*/\1/p' "$folder/serve")" 'a second' - ''
    for how in cached 'not in memory'; do
        row "plan of five steps, $how" "$(speed_of_item plan "$how")" 'a second' "$(speed_of_item member "$how")" 'a member'
    done
    row 'memory of the server, idle, new database' "$(sed -n 's/^memory: .* query, \([0-9]*\) MiB ten.*/\1/p' "$folder/serve")" MiB - ''
    row 'memory of the server, under load' "$(sed -n 's/^  memory: \([0-9]*\) MiB under.*/\1/p' "$folder/serve")" MiB - ''
}

# Prints the answers a second of bench/serve.sh for an item.
#   $1  its label   $2  how: cached or not in memory
speed_of_item() {
    sed -n "s/^$1, $2: \([0-9]*\) req.*/\1/p" "$folder/serve"
}

started() {
    if ! run "$folder/start" start.sh --runs "$(runs 5)"; then
        missing 'start of `serve`' "$(reason "$folder/start")"
        return
    fi
    row 'memory of the server, idle, known database' "$(sed -n 's/^with cache .* \([0-9]*\) MiB.*/\1/p' "$folder/start")" MiB - ''
    with=$(sed -n 's/^with cache .*median \([0-9]*\),.*/\1/p' "$folder/start")
    row 'start of `serve`, known database' "$with" ms \
        "$(sed -n 's/^without cache .*median \([0-9]*\),.*/\1/p' "$folder/start")" 'without the AOT cache'
}

# The first start from a clone with an empty folder for its data, beside the packages by Maven.
first_start() {
    [ -n "$clone" ] || return 0
    git clone -q "$root" "$folder/clone"
    begin=$(date +%s)
    "$folder/clone/offsetd" serve --data "$folder/clone-data" --port "$server_port" --offline >"$folder/clone.log" 2>&1 &
    server_pid=$!
    wait_for "$server_url/readyz" "$server_pid" "$folder/clone.log"
    took=$(($(date +%s) - begin))
    kill "$server_pid"
    wait "$server_pid" || true
    server_pid=
    begin=$(date +%s)
    (cd "$folder/clone" && ./mvnw -q -B -T 1C -Dmaven.test.skip=true clean package) >"$folder/maven.log" 2>&1 ||
        fail "mvnw package: $(tail -n 3 "$folder/maven.log")"
    row 'first start from a clone' "$took" s "$(($(date +%s) - begin))" '`mvnw package` of the same modules'
}

# Replaces the tables in the document between their two marks.
renew_document() {
    awk -v tables="$tables" '
        /^<!-- end: all -->$/ { skip = 0 }
        !skip
        /^<!-- begin: all -->$/ { skip = 1; while ((getline line <tables) > 0) print line; print "" }' "$document" >"$folder/document"
    cp "$folder/document" "$document"
}

version=$("$root/offsetd" --version | head -n 1)
printf '%s; %s, %s processors, load average %s%s.\n' \
    "$version" "$(date -u +%F)" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)" "${quick:+, few runs}" | tee "$tables"
subject 'Unknown builds'
first_answer libruby "$libruby" --libruby rb_control_frame_struct "$(runs 20)" "$(runs 10)"
first_answer vmlinux "$vmlinux" --vmlinux task_struct "$(runs 3)" "$(runs 2)"
first_answer ceph-osd "$ceph" --ceph PG "$(runs 2)" 1
subject 'Functions and lines'
first_lines libruby "$libruby" --libruby "$(runs 20)" "$(runs 10)"
lines libruby "$libruby" --libruby "$(runs 20)" "$(runs 50)"
lines vmlinux "$vmlinux" --vmlinux "$(runs 3)" 4
lines ceph-osd "$ceph" --ceph 1 2
subject 'Stored builds'
served
subject 'Start'
started
first_start
subject 'Commands'
processes libruby "$libruby" --libruby rb_control_frame_struct "$(runs 11)"
processes vmlinux "$vmlinux" --vmlinux task_struct "$(runs 3)"
large_program
[ -z "$renew" ] || renew_document
exit "$verdict"
