#!/bin/sh
# Prewarms the Ruby libraries of images on an offsetd server; fails if an offset is missing.
#
#   prewarm-images.sh IMAGE...
#
# IMAGE   for example ruby:3.4
#
# Official images compile Ruby themselves, so no debuginfod has that build; their libruby contains its debug information.
# With docker, this script uploads it first. With skopeo, it only prewarms.
#
# Environment: OFFSETD_URL, OFFSETD_TOKEN (scope publish), OFFSETD (the launcher; default: ../../offsetd), IMAGE_TOOL
# (docker or skopeo; default: docker if it is installed)

set -eu

offsetd=${OFFSETD:-$(dirname "$0")/../../offsetd}
: "${OFFSETD_URL:?URL of the server, for example https://offsetd.example.org}"
[ $# -gt 0 ] || {
    echo "usage: $0 IMAGE..." >&2
    exit 2
}

if [ -z "${IMAGE_TOOL:-}" ]; then
    command -v docker >/dev/null 2>&1 && IMAGE_TOOL=docker || IMAGE_TOOL=skopeo
fi

work=$(mktemp -d)
libraries=$work/lib
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# push_library IMAGE. Exit code 6 of push: the library has no debug information; an upstream may have it.
push_library() {
    container=$(docker create "$1")
    rm -rf "$libraries"
    mkdir "$libraries"
    docker cp "$container:/usr/local/lib/." "$libraries"
    docker rm "$container" >/dev/null
    find "$libraries" -type f ! -name 'libruby.so*' -exec rm -f {} +
    code=0
    "$offsetd" push "$OFFSETD_URL" "$libraries" || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 6 ] || exit "$code"
}

number=0
for image in "$@"; do
    number=$((number + 1))
    if [ "$IMAGE_TOOL" = docker ]; then
        docker pull --quiet "$image"
        push_library "$image"
        docker save --output "$work/$number.tar" "$image"
    else
        skopeo copy --quiet "docker://docker.io/library/$image" "docker-archive:$work/$number.tar"
    fi
done
rm -rf "$libraries"
"$offsetd" prewarm "$OFFSETD_URL" "$work" --name 'libruby.so*' --types @ruby --fail-under @ruby=100%
