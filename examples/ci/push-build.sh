#!/bin/sh
# Uploads the debug information of a build of one's own to an offsetd server.
#
#   push-build.sh FOLDER...
#
# FOLDER   what was built, before it is stripped
#
# Environment: OFFSETD_URL, OFFSETD_TOKEN (scope publish); OFFSETD, the launcher, if it is not in the folder two above.

set -eu

offsetd=${OFFSETD:-$(dirname "$0")/../../offsetd}
: "${OFFSETD_URL:?the server, such as https://offsetd.example.org}"
"$offsetd" push "$OFFSETD_URL" "$@"
