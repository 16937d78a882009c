# shellcheck shell=sh disable=SC2034,SC2154
# ./offsetd sets [NAME...]: checks the built-in type sets against builds of their runtimes: docs/type-sets.md.

module=query
main=dev.offsetd.query.typeset.Sets
. "$root/dev/run.sh"
