# shellcheck shell=sh disable=SC2034,SC2154
# ./offsetd corpus [NAME...]: compares every definition of real packages with other tools: docs/exactness.md.

module=query
main=dev.offsetd.query.ComparedAnswers
. "$root/dev/run.sh"
