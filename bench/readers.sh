# What the comparisons with other readers of debug files share. Sourced by the scripts beside it.
# shellcheck shell=sh

# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

# Debian's own, for which its packages are; another on PATH does not see them.
# shellcheck disable=SC2034 # for the scripts beside it
python=/usr/bin/python3

# Builds Go's reader, without the network. Sets godwarf.
build_godwarf() {
    godwarf=$folder/godwarf
    (cd "$root/bench/godwarf" && GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o "$godwarf" .) ||
        fail "bench/godwarf does not build"
}

# Writes what offsetd says of a type, in the form of bench/godwarf.
#   $1  file   $2  type   $3  the file to write
offsetd_layout() {
    "$root/offsetd" extract --json --view=members "$1" "$2" >"$folder/answer" 2>"$folder/extract.log" ||
        fail "offsetd has no answer for $2: $(cat "$folder/extract.log" "$folder/answer")"
    jq -r '.offsets | to_entries[] | "\(.value.kind) \(.key) \(.value.size)",
        (.value.members[] | select(.padding | not) |
            "\(.name // "-") \(if .bitSize then "\(.bitOffset):\(.bitSize)" else .offset * 8 end)")' \
        "$folder/answer" >"$3"
}

# Ends unless a reader gave the same layout as offsetd.
#   $1  reader   $2  its layout   $3  that of offsetd
require_same() {
    diff -u "$3" "$2" >&2 || fail "$1 answers otherwise than offsetd"
}

# Runs "offsetd bench --json" with these arguments.
#   $1  the file to write   further: the arguments
bench_offsetd() {
    printed=$1
    shift
    "$root/offsetd" bench --json "$@" >"$printed" 2>"$folder/bench.log" || fail "offsetd bench: $(cat "$folder/bench.log")"
}

# One measurement of a bench as "runs min median max" in ms and RssAnon in KiB; nothing if it has none of that name.
#   $1  what the bench printed   $2  name
measurement() {
    jq -r --arg name "$2" '.measurements[] | select(.name == $name) |
        "\(.runs) \(.minMillis) \(.medianMillis) \(.maxMillis) \((.peakRssAnonBytes // 0) / 1024 | floor)"' "$1"
}
