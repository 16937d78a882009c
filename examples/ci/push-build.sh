#!/bin/sh
# Uploads the debug information of your build to an offsetd server.
#
#   push-build.sh FOLDER...
#
# FOLDER   the build's output, before it is stripped
#
# Environment: OFFSETD_URL, OFFSETD_TOKEN (scope publish), OFFSETD (the launcher; default: ../../offsetd)

set -eu

offsetd=${OFFSETD:-$(dirname "$0")/../../offsetd}
: "${OFFSETD_URL:?URL of the server, for example https://offsetd.example.org}"
"$offsetd" push "$OFFSETD_URL" "$@"
