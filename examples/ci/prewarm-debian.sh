#!/bin/sh
# Prewarms the interpreters in packages of Debian or Ubuntu on an offsetd server: every version that the sources of apt list,
# such as those of stable and of its security updates, for every architecture that dpkg knows.
#
#   prewarm-debian.sh ruby|php|python [PACKAGE...]     PACKAGE: for example libruby3.3; default: all that apt knows
#
# Downloads packages without installing them, and none that an earlier run found ready. Their debug files come from the
# server's sources, such as debuginfod.debian.net. A failure does not stop the rest. Exit code 3: an interpreter is
# incomplete; 1: a package could not be checked, or none is complete.
#
# Environment: that of common.sh. Needs apt-get update before it, and jq.

set -eu
set -f

folder=$(CDPATH='' cd "$(dirname "$0")" && pwd -P)
. "$folder/common.sh"
language=${1:-}
case $language in
    ruby) prefix=libruby packages='libruby[0-9.]+(t64)?' names='libruby*' ;;
    php) prefix='' packages='(libphp[0-9.]+-embed|libapache2-mod-php[0-9.]+|php[0-9.]+-(cli|fpm))' names='php* libphp*' ;;
    python) prefix='' packages='(libpython3\.[0-9]+(t64)?|python3\.[0-9]+-minimal)' names='libpython3* python3*' ;;
    *)
        sed -n '5s/^# *//p' "$0" >&2
        exit 2
        ;;
esac
shift
: "${OFFSETD_URL:?URL of the server, for example https://offsetd.example.org}"
start
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # package names have no spaces
    set -- $(apt-cache pkgnames "$prefix" | grep -Ex "$packages" | sort)
fi
[ $# -gt 0 ] || {
    echo "$0: apt knows no package of $language; run apt-get update" >&2
    exit 1
}

# Checks package $1, version $2, for architecture $3, with SHA-256 $4.
check() {
    downloaded=false
    if ! recall "sha256:$4"; then
        rm -rf "$work/debs"
        mkdir "$work/debs"
        if (cd "$work/debs" && apt-get download "$1:$3=$2" >&2); then
            downloaded=true
            code=0
            set -- "$1" "$2" "$3" "$4" "$work/debs"
            for name in $names; do
                set -- "$@" --name "$name"
            done
            (shift 4 && prewarm "$@") || code=$?
            judge "$code"
            remember "sha256:$4"
        else
            status='not checked' next='run apt-get update, and run again'
        fi
    fi
    result "$1=$2" "$3" "sha256:$4" "$downloaded"
}

for architecture in $(dpkg --print-architecture && dpkg --print-foreign-architectures); do
    for package; do
        apt-cache show "$package:$architecture" 2>/dev/null |
            awk '$1 == "Version:" { version = $2 } $1 == "SHA256:" { print version, $2 }' >"$work/versions" || :
        while read -r version sha256; do
            check "$package" "$version" "$architecture" "$sha256" </dev/null
        done <"$work/versions"
    done
done
finish "$language of $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
