#!/bin/sh
# Lints the chart, renders it, and compares the result with ../kubernetes/offsetd.yaml. Needs helm, which Debian does not have,
# and python3 with PyYAML. Ends with 77 without helm.
set -eu
chart=$(dirname "$0")
command -v helm >/dev/null || {
    echo 'check: missing: helm' >&2
    exit 77
}
helm lint --strict "$chart"
helm template offsetd "$chart" | python3 -c '
import sys, yaml
def by_kind(text):
    return {document["kind"]: document for document in yaml.safe_load_all(text) if document}
rendered, plain = by_kind(sys.stdin), by_kind(open(sys.argv[1]))
sys.exit(None if rendered == plain else "the chart renders other objects than " + sys.argv[1])
' "$chart/../kubernetes/offsetd.yaml"
helm template other "$chart" --set replicas=3 --set 'env[0].name=OFFSETD_OFFLINE' --set-string 'env[0].value=true' |
    grep -q 'OFFSETD_OFFLINE'
