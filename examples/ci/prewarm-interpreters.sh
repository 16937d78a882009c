#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prewarms the interpreters in images on an offsetd server: each version, variant and architecture.
#
#   prewarm-interpreters.sh ruby|php|python [VERSION|IMAGE...]     default: every supported version that the registry has
#   prewarm-interpreters.sh versions ruby|php|python               prints these versions as a JSON array, for a matrix
#
# Uploads the debug information that an image has. If the interpreter then lacks something that the type set of its language
# requires, builds it from source in the image (build-interpreter.sh), uploads that, and checks again. A failure does not
# stop the rest. What an earlier run found ready is not downloaded again. Exit code 3: an interpreter is incomplete; 1: an
# image could not be checked, or none is complete.
#
# Environment: that of common.sh, and PATCHES (a number N: the last N patch releases of each version, instead of its moving
# tag), VARIANTS (patterns such as "default slim*", where "default" is the tag without a variant; default: all that the
# registry has), ARCHITECTURES (default: "amd64 arm64"), REGISTRY (default: docker.io/library), REGISTRY_USER and
# REGISTRY_PASSWORD (default: what skopeo, docker or podman logged in with), REGISTRY_TLS (false for a registry without
# TLS), ENGINE (docker or podman, for builds; default: docker if it is installed). Needs skopeo and jq.

set -eu

usage() {
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
}

folder=$(CDPATH='' cd "$(dirname "$0")" && pwd -P)
. "$folder/common.sh"
registry=${REGISTRY:-docker.io/library}
if [ -z "${ENGINE:-}" ] && command -v docker >/dev/null 2>&1; then
    ENGINE=docker
fi

# Sets the oldest version of language $1 that its project supports (November 2026), and the names of its files with the interpreter.
set_language() {
    language=$1
    case $1 in
        ruby) oldest=3.3 names='libruby.so*' ;;
        php) oldest=8.2 names='php libphp.so' ;;
        python) oldest=3.11 names='libpython3.*' ;;
        *) usage ;;
    esac
}

# Calls skopeo. The engine needs no credentials: it gets the image that skopeo downloaded.
registry() {
    command=$1
    shift
    [ "$command" = copy ] && verify=--src-tls-verify || verify=--tls-verify
    skopeo "$command" "$verify=${REGISTRY_TLS:-true}" "$@" 2>"$work/error"
}

log_in() {
    if [ -n "${REGISTRY_USER:-}" ]; then
        export REGISTRY_AUTH_FILE="$work/auth.json"
        printf %s "${REGISTRY_PASSWORD:-}" |
            registry login --username "$REGISTRY_USER" --password-stdin "${registry%%/*}" >/dev/null || cat "$work/error" >&2
    elif [ -z "${REGISTRY_AUTH_FILE:-}" ] && [ -f "${DOCKER_CONFIG:-}/config.json" ]; then
        export REGISTRY_AUTH_FILE="$DOCKER_CONFIG/config.json"
    fi
}

# Sets $status and $next from what the registry said about image $1.
registry_failed() {
    cat "$work/error" >&2
    status='not checked'
    case $(cat "$work/error") in
        *'manifest unknown'* | *'name unknown'*) status='not offered' next="see the tags with skopeo list-tags docker://$1" ;;
        *oomanyrequests* | *oo\ many\ requests*) next='the registry limits downloads: log in, or choose fewer VARIANTS' ;;
        *nauthorized* | *'authentication required'* | *denied*)
            next="log in to the registry of $1 (skopeo, docker or podman login, or REGISTRY_USER and REGISTRY_PASSWORD), and run again"
            ;;
        *x509* | *'HTTP response to HTTPS'*) next='trust its certificate (SSL_CERT_FILE), or set REGISTRY_TLS=false' ;;
        *) next='see the error above, and run again' ;;
    esac
}

# Writes the tags of the language to $work/tags.
list_tags() {
    registry list-tags "docker://$registry/$language" >"$work/tags.json" &&
        jq -r '.Tags[] | select(test("\\A[A-Za-z0-9_][A-Za-z0-9._-]{0,127}\\z"))' "$work/tags.json" >"$work/tags"
}

# Prints the supported versions in $work/tags, oldest first. Exit code 1: there is none.
versions() {
    grep -E "^[0-9]+\.[0-9]+${PATCHES:+\.[0-9]+}$" "$work/tags" | sort -rV | awk -F . -v oldest="$oldest" -v patches="${PATCHES:-1}" '
            BEGIN { split(oldest, o, ".") }
            ($1 > o[1] || $1 == o[1] && $2 >= o[2]) && count[$1 "." $2]++ < patches' | sort -V >"$work/versions"
    [ -s "$work/versions" ] || {
        echo "$registry/$language has no tag of a supported version; expected $oldest or later" >&2
        return 1
    }
    cat "$work/versions"
}

# Prints the tags of version $1 with a variant that VARIANTS names, without those of prereleases and of Windows.
tags() {
    awk -v version="$1" '$0 == version || index($0, version "-") == 1 {
            print $0, substr($0 "-default", length(version) + 2) }' "$work/tags" |
        grep -Ev ' (rc|preview|beta|alpha[0-9]*(-|$))|-(windowsservercore|nanoserver)' >"$work/tagged" || :
    while read -r tag variant; do
        variant=${variant%-default}
        for pattern in ${VARIANTS:-*}; do
            # shellcheck disable=SC2254 # a pattern
            case $variant in $pattern) echo "$tag" && break ;; esac
        done
    done <"$work/tagged"
}

# Prints architecture and digest of what image $1 has for Linux.
platforms() {
    registry inspect --raw "docker://$1" >"$work/manifest" || return 1
    jq -r '.manifests[]? | select(.platform.os == "linux" and (.digest | test("\\Asha256:[0-9a-f]{64}\\z")))
        | "\(.platform.architecture) \(.digest)"' "$work/manifest" >"$work/platforms" 2>/dev/null || {
        echo "$1: the registry answers $(head -c 40 "$work/manifest" | tr -cd '[:print:]'); expected a manifest" >"$work/error"
        return 1
    }
    if ! jq -e 'has("manifests")' "$work/manifest" >/dev/null; then
        registry inspect --config "docker://$1" >"$work/configuration" || return 1
        digest=$(sha256sum <"$work/manifest" | cut -d ' ' -f 1)
        jq -r --arg digest "sha256:$digest" 'select(.os == "linux") | "\(.architecture) \($digest)"' "$work/configuration" \
            >"$work/platforms" 2>"$work/error" || return 1
    fi
}

# Downloads digest $2 of the image's repository $1, for architecture $3, to $work/image.tar.
download() {
    rm -f "$work/image.tar"
    registry copy --quiet --override-os linux --override-arch "$3" "docker://$1@$2" \
        "docker-archive:$work/image.tar:$local_name" >/dev/null
}

# Uploads the debug information in $1. Exit code 6: there is none; an upstream may have it.
push() {
    code=0
    "$OFFSETD" push "$OFFSETD_URL" "$1" || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 6 ]
}

prewarm_image() {
    set -- "$work/image.tar"
    for name in $names; do
        set -- "$@" --name "$name"
    done
    prewarm "$@"
}

# Builds the interpreter of the downloaded image for architecture $1, and uploads it.
build() {
    rm -rf "$work/built"
    mkdir "$work/built"
    "$ENGINE" load --quiet --input "$work/image.tar" >&2 &&
        "$ENGINE" run --rm --pull never --user 0 --platform "linux/$1" \
            --volume "$folder/build-interpreter.sh:/build-interpreter.sh:ro" --volume "$work/built:/built" --entrypoint sh \
            "$local_name" /build-interpreter.sh "$language" /built >&2 && push "$work/built" >&2
    code=$?
    "$ENGINE" rmi --force "$local_name" >/dev/null || :
    return "$code"
}

# Sets $status and $next for what was downloaded for architecture $1.
check_download() {
    push "$work/image.tar" >&2 || echo 'not everything could be uploaded' >&2
    code=0
    prewarm_image || code=$?
    judge "$code"
    [ "$code" -eq 3 ] || return 0
    if [ -z "${ENGINE:-}" ]; then
        next="$next; or run this where docker or podman can build it from source"
    elif build "$1"; then
        code=0
        prewarm_image || code=$?
        judge "$code"
    else
        next="$next; its build from source failed, see above"
    fi
}

# Checks image $1 for each architecture.
check() {
    repository=${1%@*}
    case ${repository##*/} in *:*) repository=${repository%:*} ;; esac
    item=${1#"$registry/"}
    if ! platforms "$1"; then
        registry_failed "$1"
        result "$item" - '' false
        return
    fi
    for architecture in ${ARCHITECTURES:-amd64 arm64}; do
        local_name=localhost/offsetd-prewarm:$architecture
        digest=$(sed -n "s/^$architecture //p" "$work/platforms" | head -n 1)
        downloaded=false
        if [ -z "$digest" ]; then
            rm -f "$work/prewarm.json"
            status='not offered' next=
        elif recall "$digest"; then
            :
        elif download "$repository" "$digest" "$architecture"; then
            downloaded=true
            check_download "$architecture"
            remember "$digest"
        else
            registry_failed "$1"
        fi
        result "$item" "$architecture" "$digest" "$downloaded"
    done
}

set -f
case ${1:-} in
    '') usage ;;
    versions)
        [ $# -eq 2 ] || usage
        set_language "$2"
        ;;
    *) set_language "$1" ;;
esac
start
log_in
case $* in
    "versions $language")
        list_tags || { cat "$work/error" >&2 && exit 1; }
        versions >/dev/null
        jq -Rnc '[inputs]' "$work/versions"
        exit
        ;;
    "$language")
        list_tags || { cat "$work/error" >&2 && exit 1; }
        versions >/dev/null
        # shellcheck disable=SC2046 # versions have no spaces
        set -- "$language" $(cat "$work/versions")
        ;;
esac
shift
: "${OFFSETD_URL:?URL of the server, for example https://offsetd.example.org}"
title="$language $*"
for version; do
    case $version in
        *[:/]*) check "$version" ;;
        *)
            if [ ! -f "$work/tags" ] && ! list_tags; then
                registry_failed "$registry/$language"
                result "$language:$version" - '' false
            else
                tags "$version" >"$work/variants"
                [ -s "$work/variants" ] || {
                    status='not offered' next="see the tags with skopeo list-tags docker://$registry/$language"
                    result "$language:$version" - '' false
                }
                while read -r tag; do
                    check "$registry/$language:$tag" </dev/null
                done <"$work/variants"
            fi
            ;;
    esac
done
finish "$title"
