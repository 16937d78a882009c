#!/bin/sh
# Has an offsetd server get the Ruby libraries of images, and fails if it lacks something of them.
#
#   prewarm-images.sh IMAGE...
#
# IMAGE   such as ruby:3.4
#
# Official images compile Ruby themselves, so no debuginfod has heard of it; their libruby has its debug information in it.
# With docker, it is uploaded first. Without, images are fetched by skopeo, and only prewarmed.
#
# Environment: IMAGE_TOOL, docker or skopeo, if it is not to be docker where that is installed; OFFSETD_URL, OFFSETD_TOKEN (scope publish); OFFSETD, the launcher, if it is not in the folder two above.

set -eu

offsetd=${OFFSETD:-$(dirname "$0")/../../offsetd}
: "${OFFSETD_URL:?the server, such as https://offsetd.example.org}"
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

# push_library IMAGE: 6 says that there is no debug information in it, which is then for a debuginfod to have.
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
