#!/bin/sh
# Prewarms the interpreters of official images on an offsetd server: each version, variant and architecture.
#
#   prewarm-interpreters.sh ruby|php|python [VERSION...]     default: every supported version that the registry has
#   prewarm-interpreters.sh versions ruby|php|python         prints these versions as a JSON array, for a matrix
#
# Uploads the debug information that an image has. If the interpreter then lacks something that the type set of its language
# requires, builds it from source in the image (build-interpreter.sh), uploads that, and checks again. A failure does not
# stop the rest. Exit code 3: an interpreter lacks something; 1: no image could be checked.
#
# Environment: OFFSETD_URL, OFFSETD_TOKEN (scope publish), OFFSETD (default: offsetd of the release that has this script),
# VARIANTS (default: "default slim alpine"), ARCHITECTURES (default: "amd64 arm64"), REGISTRY (default:
# docker.io/library), REGISTRY_TLS (false for a registry without TLS), ENGINE (docker or podman, for builds; default: docker if
# it is installed). Needs skopeo and jq.

set -eu

usage() {
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
}

folder=$(CDPATH='' cd "$(dirname "$0")" && pwd -P)
registry=${REGISTRY:-docker.io/library}
if [ -z "${OFFSETD:-}" ]; then
    OFFSETD=$folder/../../offsetd
fi
if [ -z "${ENGINE:-}" ] && command -v docker >/dev/null 2>&1; then
    ENGINE=docker
fi

# Sets the oldest supported version of language $1, and the names of its files with the interpreter.
set_language() {
    language=$1
    case $1 in
        ruby) oldest=3.2 names='libruby.so*' ;;
        php) oldest=8.2 names='php libphp.so' ;;
        python) oldest=3.10 names='libpython3.*' ;;
        *) usage ;;
    esac
}

# Prints the supported versions that the registry has, oldest first. Exit code 1: it has none, or failed.
versions() {
    tags=$(skopeo list-tags --tls-verify="${REGISTRY_TLS:-true}" "docker://$registry/$language") || return 1
    found=$(printf '%s\n' "$tags" | jq -r '.Tags[] | select(test("\\A[0-9]+\\.[0-9]+\\z"))') || return 1
    found=$(printf '%s\n' "$found" | sort -V | awk -v oldest="$oldest" '
            BEGIN { split(oldest, o, ".") }
            { split($0, v, ".") }
            NF && (v[1] > o[1] || v[1] == o[1] && v[2] >= o[2])')
    [ -n "$found" ] || {
        echo "$registry/$language has no tag of a supported version; expected $oldest or later" >&2
        return 1
    }
    printf '%s\n' "$found"
}

# Downloads image $1 for architecture $2 to $work/image.tar. Exit code 1: there is none; 2: the registry failed.
download() {
    rm -f "$work/image.tar"
    skopeo copy --quiet --src-tls-verify="${REGISTRY_TLS:-true}" --override-os linux --override-arch "$2" \
        "docker://$registry/$1" "docker-archive:$work/image.tar" 2>"$work/error" && return
    cat "$work/error" >&2
    grep -qi 'manifest unknown\|no image found' "$work/error" && return 1
    return 2
}

# Uploads the debug information in $1. Exit code 6: there is none; an upstream may have it.
push() {
    code=0
    "$OFFSETD" push "$OFFSETD_URL" "$1" || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 6 ]
}

prewarm() {
    set -f
    # shellcheck disable=SC2046 # patterns without spaces
    set -- $(for name in $names; do printf -- '--name %s ' "$name"; done)
    set +f
    "$OFFSETD" prewarm "$OFFSETD_URL" "$work/image.tar" "$@" --types "@$language" --fail-under "@$language=100%"
}

# Builds the interpreter of image $1 for architecture $2, and uploads it.
build() {
    [ -n "${ENGINE:-}" ] || {
        echo "$1 $2: no docker or podman to build it from source" >&2
        return 1
    }
    rm -rf "$work/built"
    mkdir "$work/built"
    "$ENGINE" run --rm --user 0 --platform "linux/$2" --volume "$folder/build-interpreter.sh:/build-interpreter.sh:ro" \
        --volume "$work/built:/built" --entrypoint sh "$registry/$1" /build-interpreter.sh "$language" /built &&
        push "$work/built"
}

# Checks image $1 for architecture $2, and writes its result to the summary.
check() {
    code=0
    download "$1" "$2" || code=$?
    case $code in
        1) result='not offered' ;;
        2) result='not checked: the registry failed' ;;
        *)
            push "$work/image.tar" || echo "$1 $2: not everything could be uploaded" >&2
            code=0
            prewarm || code=$?
            if [ "$code" -eq 3 ] && build "$1" "$2"; then
                code=0
                prewarm || code=$?
            fi
            case $code in
                0) result=complete ;;
                3) result="lacks something that @$language requires" ;;
                *) result="not checked: exit code $code of offsetd" ;;
            esac
            ;;
    esac
    printf '%-28s %-6s %s\n' "$1" "$2" "$result" >>"$work/summary"
}

case ${1:-} in
    versions)
        [ $# -eq 2 ] || usage
        set_language "$2"
        list=$(versions)
        printf '%s\n' "$list" | jq -R . | jq -sc .
        exit
        ;;
    '') usage ;;
esac
set_language "$1"
shift
: "${OFFSETD_URL:?URL of the server, for example https://offsetd.example.org}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
if [ $# -eq 0 ]; then
    list=$(versions)
    # shellcheck disable=SC2086 # versions have no spaces
    set -- $list
fi
: >"$work/summary"
for version; do
    for variant in ${VARIANTS:-default slim alpine}; do
        [ "$variant" = default ] && tag=$version || tag=$version-$variant
        for architecture in ${ARCHITECTURES:-amd64 arm64}; do
            check "$language:$tag" "$architecture"
        done
    done
done
cat "$work/summary"
! grep -q ' lacks something ' "$work/summary" || exit 3
grep -q ' complete$' "$work/summary"
