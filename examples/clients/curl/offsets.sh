#!/bin/sh
# offsets.sh URL BUILD-ID CACHE-FOLDER: prints the source of the values, then each value.
set -eu
url=$1 id=$2 cache=$3/$2

# name, item, index in the item's tuple (0: offset, 1: size), maximum of the field in the eBPF program, fallback
table='ec_vm_stack rb_execution_context_struct.vm_stack 0 255 0
ec_cfp rb_execution_context_struct.cfp 0 255 16
cfp_size rb_control_frame_struct 1 255 56
iseq_body rb_iseq_struct.body 0 255 16
vm_objspace rb_vm_struct.gc.objspace|rb_vm_struct.objspace 0 65535 1296'
items=$(printf '%s\n' "$table" | cut -d' ' -f2 | paste -s -d, -)

# Succeeds if standard input is an answer for this build.
is_answer() { jq -e --arg id "$id" '.schemaVersion == 1 and .buildId == $id' >/dev/null 2>&1; }

mkdir -p "$3"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# One file holds the ETag (first line) and the answer, so they always match.
kept=no
if [ -f "$cache" ] && tail -n +2 "$cache" | is_answer; then
    kept=yes
    set -- --header "If-None-Match: $(head -n 1 "$cache")"
else
    set --
fi

# --data fallback=consensus accepts the values of similar builds, too: the answer then has "consensus", which says so.
# The token goes through standard input, because every user of the machine can see arguments.
status=$(printf '%s' "${OFFSETD_TOKEN:+header = \"Authorization: Bearer $OFFSETD_TOKEN\"}" |
    curl --config - --silent --show-error --compressed --connect-timeout 1 --max-time 3 \
        --header 'Prefer: wait=1' "$@" --dump-header "$work/headers" --output "$work/body" \
        --write-out '%{http_code}' --get --data view=flat --data-urlencode "types=$items" "$url/v1/offsets/$id") || status=000

if [ "$status" = 200 ] && is_answer <"$work/body"; then
    { sed -n 's/^[Ee][Tt][Aa][Gg]: *//p' "$work/headers" | tr -d '\r'; cat "$work/body"; } >"$cache.$$"
    mv "$cache.$$" "$cache"
    used=server
elif [ "$status" = 304 ]; then
    used=revalidated
else
    # 202: the build is being fetched; 404: no source has it; 000: no answer in time. Use the cache, and try again after
    # Retry-After or at the next start.
    sed -n "s/^[Rr]etry-[Aa]fter: */status $status, try again after seconds: /p" "$work/headers" >&2 2>/dev/null || :
    [ $kept = yes ] && used=cache || used=fallback
fi

echo "$used"
# A miss is an object, never a number. Tuples of bit-fields have four numbers; this client asks for none.
if [ "$used" = fallback ]; then echo '{}'; else tail -n +2 "$cache"; fi | jq -r --arg table "$table" '
    .offsets as $offsets | $table | split("\n")[] | split(" ") as [$name, $item, $which, $most, $fallback]
    | [$offsets[$item] | select(type == "array" and length == 2) | .[$which | tonumber]
        | numbers | select(. >= 0 and . <= ($most | tonumber) and . == floor)]
    | "\($name) \(.[0] // "\($fallback) fallback")"'
