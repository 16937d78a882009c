#!/bin/sh
# Has an offsetd server get the Ruby libraries of Debian's packages, and fails if it lacks something of them.
#
#   prewarm-debian.sh [PACKAGE...]
#
# PACKAGE   such as libruby3.3; if none is named, every libruby that apt knows
#
# Environment: OFFSETD_URL, OFFSETD_TOKEN (scope publish); OFFSETD, the launcher, if it is not in the folder two above.

set -eu

offsetd=${OFFSETD:-$(dirname "$0")/../../offsetd}
offsetd=$(CDPATH='' cd "$(dirname "$offsetd")" && pwd)/$(basename "$offsetd")
: "${OFFSETD_URL:?the server, such as https://offsetd.example.org}"

if [ $# -eq 0 ]; then
    # New releases come by themselves; libruby-dev and the like have no library.
    # shellcheck disable=SC2046 # names of packages have no spaces
    set -- $(apt-cache pkgnames libruby | grep -E '^libruby[0-9]+(\.[0-9]+)*(t64)?$' | sort)
fi
[ $# -gt 0 ] || {
    echo "$0: apt knows no libruby; is apt-get update done?" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
apt-get download "$@"
"$offsetd" prewarm "$OFFSETD_URL" "$work" --name 'libruby*' --types @ruby --fail-under @ruby=100%
