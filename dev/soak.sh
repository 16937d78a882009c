# shellcheck shell=sh disable=SC2034,SC2154
# ./offsetd soak MINUTES [--promote-replica PROGRAMS]: loads three servers while it kills servers, database and
# upstreams: docs/soak.md.

require_build
module=server
main=dev.offsetd.server.soak.Soak
. "$root/dev/run.sh"
