# shellcheck shell=sh disable=SC2034,SC2154
# ./offsetd soak MINUTES [--promote-replica PROGRAMS] [--object-store]: loads three servers while it kills servers,
# database, upstreams and the object store, if there is one: docs/fuzzing.md.

require_build
module=server
main=dev.offsetd.server.soak.Soak
. "$root/dev/run.sh"
