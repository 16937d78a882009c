# shellcheck shell=sh disable=SC2034,SC2154
# ./offsetd corpus [NAME...]: compares every definition of real packages with other tools: docs/exactness.md.

module=offset-extractor
main=dev.offsetd.extractor.corpus.Corpus
. "$root/dev/run.sh"
