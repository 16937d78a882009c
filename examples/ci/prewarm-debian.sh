#!/bin/sh
# Prewarms the Ruby libraries of Debian's packages on an offsetd server; fails if an offset is missing.
#
#   prewarm-debian.sh [PACKAGE...]
#
# PACKAGE   for example libruby3.3; default: every libruby that apt knows
#
# Environment: OFFSETD_URL, OFFSETD_TOKEN (scope publish), OFFSETD (the launcher; default: ../../offsetd)

set -eu

offsetd=${OFFSETD:-$(dirname "$0")/../../offsetd}
offsetd=$(CDPATH='' cd "$(dirname "$offsetd")" && pwd)/$(basename "$offsetd")
: "${OFFSETD_URL:?URL of the server, for example https://offsetd.example.org}"

if [ $# -eq 0 ]; then
    # Includes new releases; excludes libruby-dev and others without a library.
    # shellcheck disable=SC2046 # package names have no spaces
    set -- $(apt-cache pkgnames libruby | grep -E '^libruby[0-9]+(\.[0-9]+)*(t64)?$' | sort)
fi
[ $# -gt 0 ] || {
    echo "$0: apt knows no libruby; run apt-get update" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
apt-get download "$@"
"$offsetd" prewarm "$OFFSETD_URL" "$work" --name 'libruby*' --types @ruby --fail-under @ruby=100%
