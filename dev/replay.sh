# shellcheck shell=sh disable=SC2034,SC2154
# ./offsetd replay [SET...]: compares the events of a server with offsetd diff, for the releases of Debian: docs/watches.md.

module=server
main=dev.offsetd.server.prewarms.enrichment.Replay
. "$root/dev/run.sh"
