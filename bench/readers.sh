# Functions for comparisons with other readers of debug files. The other scripts source it.
# shellcheck shell=sh

# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

# Debian's python3: its packages are invisible to another one on PATH.
# shellcheck disable=SC2034 # for the scripts that source this one
python=/usr/bin/python3

# Installs offsetd as a release is: its launcher does not look for changed sources. Sets installed to the launcher, unless
# the script that runs this one has set it.
install_offsetd() {
    [ -z "${installed:-}" ] || return 0
    installed=$folder/installed/offsetd
    "$root/offsetd" install "$folder/installed" >"$folder/install.log" 2>&1 || fail "install: $(tail -n 3 "$folder/install.log")"
    export installed
}

# Builds Go's reader without network access. Sets godwarf.
build_godwarf() {
    godwarf=$folder/godwarf
    (cd "$root/bench/godwarf" && GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o "$godwarf" .) ||
        fail "bench/godwarf does not build"
}

# Writes offsetd's layout of a type in the format of bench/godwarf.
#   $1  file   $2  type   $3  the file to write
offsetd_layout() {
    "$root/offsetd" extract --json --view=members "$1" "$2" >"$folder/answer" 2>"$folder/extract.log" ||
        fail "offsetd has no answer for $2: $(cat "$folder/extract.log" "$folder/answer")"
    jq -r '.offsets | to_entries[] | "\(.value.kind) \(.key) \(.value.size)",
        (.value.members[] | select(.padding | not) |
            "\(.name // "-") \(if .bitSize then "\(.bitOffset):\(.bitSize)" else .offset * 8 end)")' \
        "$folder/answer" >"$3"
}

# Ends unless a reader's layout equals offsetd's.
#   $1  reader   $2  its layout   $3  offsetd's layout
require_same() {
    diff -u "$3" "$2" >&2 || fail "$1 answers otherwise than offsetd"
}

# Runs bench/reader.sh with these arguments.
#   $1  the file to write   $2...  the arguments
measure_reader() {
    printed=$1
    shift
    compile_benchmarks
    "$root/bench/reader.sh" "$@" >"$printed" 2>"$folder/reader.log" || fail "bench/reader.sh: $(cat "$folder/reader.log")"
}

# Prints a measurement of bench/reader.sh as "runs min median max" in ms and RssAnon in KiB, or nothing if it is missing.
#   $1  its output   $2  name
measurement() {
    jq -r --arg name "$2" '.measurements[] | select(.name == $name) |
        "\(.runs) \(.minMillis) \(.medianMillis) \(.maxMillis) \((.peakRssAnonBytes // 0) / 1024 | floor)"' "$1"
}

# Prints the peak RssAnon of a command in MiB.
peak_memory() {
    "$python" "$root/bench/timed.py" --memory --limit 600 "$@" | awk '{ printf "%.0f", $2 / 1024 }'
}
