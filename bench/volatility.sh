#!/bin/sh
# Compares the ISF of Debian kernels with that of dwarf2json, and reads a memory dump of each with volatility3 through a
# running server.
#
#   bench/volatility.sh VOLATILITY3 DWARF2JSON [RELEASE...]
#
#   VOLATILITY3  folder of a checkout
#   DWARF2JSON   the program
#   RELEASE      for example 6.1.0-56-cloud-amd64; default: the cloud kernels that Debian's metapackages name
#
# For each kernel: both ISF files, with elapsed time, processor time and peak memory; every difference with its reason
# (isf_compare.py); volatility3's schema validator; a dump of the booted kernel (QEMU without KVM, "dump-guest-memory").
# linux.pslist, linux.lsmod and linux.mountinfo must show the same rows through the server's banners.json, of which
# volatility3 knows nothing but the URL, as with the file of dwarf2json: a process, a module and a mount that the initrd
# makes. linux.pslist must show them with the ISF of "task_struct" alone, too. Kernels of arm64 are compared only:
# volatility3 reads no dumps of arm64. The packages stay in ~/.cache/offsetd/volatility.
# Debian packages: qemu-system-x86 busybox-static cpio xz-utils binutils gdb-multiarch jq curl python3 python3-pefile
# python3-jsonschema.

set -eu
# shellcheck source=bench/readers.sh
. "$(dirname "$0")/readers.sh"

[ $# -ge 2 ] || fail 'usage: bench/volatility.sh VOLATILITY3 DWARF2JSON [RELEASE...]'
volatility=$(CDPATH='' cd "$1" && pwd -P)
dwarf2json=$(readlink -f "$2")
shift 2
require qemu-system-x86:qemu-system-x86_64 busybox-static:/bin/busybox cpio:cpio xz-utils:xz binutils:readelf gdb-multiarch:gdb-multiarch \
    jq:jq curl:curl python3:"$python"
"$python" -c 'import pefile, jsonschema' || fail 'missing: python3-pefile python3-jsonschema'
[ -e "$volatility/vol.py" ] && [ -x "$dwarf2json" ] || fail 'no vol.py, or dwarf2json is not a program'
cache=${HOME}/.cache/offsetd/volatility
make_folder

# Runs a command of apt for an architecture: amd64, with the lists of the system, or arm64.
apt() {
    [ "$1" = arm64 ] || {
        shift
        "$@"
        return
    }
    mkdir -p "$cache/apt-arm64/lists/partial" "$cache/apt-arm64/cache/archives/partial"
    printf 'APT::Architecture "arm64"; APT::Architectures "arm64"; Dir::State "%s"; Dir::Cache "%s"; Dir::State::status "/dev/null";\n' \
        "$cache/apt-arm64" "$cache/apt-arm64/cache" >"$cache/apt-arm64/apt.conf"
    shift
    APT_CONFIG=$cache/apt-arm64/apt.conf "$@"
}

architecture_of() {
    case $1 in *-arm64) echo arm64 ;; *) echo amd64 ;; esac
}

# Prints the release of the newest kernel that a metapackage depends on.
newest() {
    apt "$(architecture_of "${1%-dbg}")" apt-cache depends "$1" | sed -n 's/.*Depends: linux-image-\(.*\)-dbg$/\1/p'
}

mkdir -p "$cache"
if [ $# -eq 0 ]; then
    apt arm64 apt-get -q update >"$folder/apt.log" 2>&1 || fail "apt-get update: $(tail -n 3 "$folder/apt.log")"
    set -- "$(newest linux-image-cloud-amd64-dbg)" "$(newest linux-image-6.12-cloud-amd64-dbg)" \
        "$(newest linux-image-cloud-arm64-dbg)"
fi

# Downloads and unpacks the image and the debug file of a kernel. Sets vmlinux, vmlinuz and modules.
fetch_kernel() {
    kernel=$cache/$1
    if [ ! -e "$kernel" ]; then
        mkdir -p "$kernel.new"
        (cd "$kernel.new" && apt "$(architecture_of "$1")" apt-get -q download "linux-image-$1-dbg" >apt.log 2>&1) ||
            fail "apt-get download: $(cat "$kernel.new/apt.log")"
        if [ "$(architecture_of "$1")" = amd64 ]; then
            (cd "$kernel.new" && apt-get -q download "linux-image-$1" >apt.log 2>&1) ||
                fail "apt-get download: $(cat "$kernel.new/apt.log")"
            dpkg-deb --fsys-tarfile "$kernel.new/linux-image-$1"_*.deb | tar -x -C "$kernel.new" ./boot ./lib/modules
        fi
        dpkg-deb --fsys-tarfile "$kernel.new/linux-image-$1"-dbg_*.deb | tar -x -C "$kernel.new" ./usr/lib/debug/boot
        rm "$kernel.new"/*.deb "$kernel.new/apt.log"
        mv "$kernel.new" "$kernel"
    fi
    vmlinux=$kernel/usr/lib/debug/boot/vmlinux-$1
    vmlinuz=$kernel/boot/vmlinuz-$1
    modules=$kernel/lib/modules/$1/kernel
}

# Makes an initrd that loads the module dummy, mounts a tmpfs and starts a process.
#   $1  the file to write
make_initrd() {
    rm -rf "$folder/initrd"
    mkdir -p "$folder/initrd/bin" "$folder/initrd/proc" "$folder/initrd/dev" "$folder/initrd/evidence"
    cp /bin/busybox "$folder/initrd/bin/busybox"
    if [ -e "$modules/drivers/net/dummy.ko" ]; then
        cp "$modules/drivers/net/dummy.ko" "$folder/initrd/dummy.ko"
    else
        xz -dc "$modules/drivers/net/dummy.ko.xz" >"$folder/initrd/dummy.ko"
    fi
    cat >"$folder/initrd/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t tmpfs marker /evidence
/bin/busybox insmod /dummy.ko
/bin/busybox cp /bin/busybox /evidence/sleep
/evidence/sleep 100000 &
echo READY FOR THE DUMP
while :; do /bin/busybox sleep 1000; done
INIT
    chmod +x "$folder/initrd/init"
    (cd "$folder/initrd" && find . | cpio -o -H newc 2>/dev/null) >"$1"
}

# Boots the kernel and dumps its memory. QEMU's default processor has no 5-level page tables, which volatility3 cannot read.
#   $1  the dump to write
dump_memory() {
    make_initrd "$folder/initrd.cpio"
    mkfifo "$folder/monitor"
    : >"$folder/console"
    qemu-system-x86_64 -accel tcg -m 256M -nographic -nodefaults -no-reboot -kernel "$vmlinuz" \
        -initrd "$folder/initrd.cpio" -append 'console=ttyS0 panic=-1' -serial "file:$folder/console" -monitor stdio \
        <"$folder/monitor" >"$folder/monitor.log" 2>&1 &
    nginx_pid=$!
    exec 3>"$folder/monitor"
    left=300
    until grep -q 'READY FOR THE DUMP' "$folder/console"; do
        kill -0 "$nginx_pid" 2>/dev/null && [ "$left" -gt 0 ] ||
            fail "the kernel did not start: $(tail -n 5 "$folder/console" "$folder/monitor.log")"
        left=$((left - 1))
        sleep 1
    done
    sleep 2
    printf 'dump-guest-memory %s\nquit\n' "$1" >&3
    wait "$nginx_pid" || fail "no dump: $(tail -n 3 "$folder/monitor.log")"
    nginx_pid=
    exec 3>&-
    rm "$folder/monitor"
}

row() {
    printf '%-24s %-28s %s\n' "$release" "$1" "$2"
}

# Runs a plugin of volatility3.
#   $1  dump   $2  plugin   $3  the file to write   $4...  options
volatility() {
    dump=$1 name=$2 rows=$3
    shift 3
    (cd "$volatility" && "$python" vol.py -q -r json "$@" -f "$dump" "$name") >"$rows" 2>"$folder/vol.log" ||
        fail "$name: $(tail -n 5 "$folder/vol.log")"
}

# Runs a plugin with the kernel of the server's list and with the file of dwarf2json, and prints a table row with the number
# of its rows. Ends unless both show the same, with one row that matches, if dwarf2json's do.
#   $1  dump   $2  plugin   $3  pattern
plugin() {
    # volatility3 asks for a list once and keeps it.
    volatility "$1" "$2" "$folder/rows" --cache-path "$folder/cache" --remote-isf-url "$list"
    volatility "$1" "$2" "$folder/expected" --cache-path "$folder/expected-cache" -s "$folder/symbols"
    cmp "$folder/rows" "$folder/expected" || fail "$2 shows other rows than with the file of dwarf2json"
    if grep -q "$3" "$folder/rows"; then
        row "$2" "$(jq length "$folder/rows") rows, as with dwarf2json"
    else
        row "$2" "$(jq length "$folder/rows") rows, as with dwarf2json; none is $3"
    fi
}

# Runs linux.pslist with the ISF of task_struct alone, and ends unless it shows what the whole file shows.
#   $1  dump
subset() {
    mkdir -p "$folder/subset"
    "$root/offsetd" export "$vmlinux" --format isf --types task_struct -o "$folder/subset/task_struct.json" \
        2>"$folder/export.log" || fail "export: $(cat "$folder/export.log")"
    volatility "$1" linux.pslist.PsList "$folder/expected" --cache-path "$folder/expected-cache" -s "$folder/symbols"
    volatility "$1" linux.pslist.PsList "$folder/rows" --cache-path "$folder/subset-cache" -s "$folder/subset"
    cmp "$folder/rows" "$folder/expected" || fail 'linux.pslist shows other rows with the types of task_struct alone'
    grep -q '"COMM": *"sleep"' "$folder/rows" || fail "linux.pslist shows no process of the initrd"
    row 'ISF of task_struct' "$(wc -c <"$folder/subset/task_struct.json") bytes, the same rows of linux.pslist"
}

# Runs a command and prints its elapsed and its processor time in seconds, and its peak memory in MiB.
took() {
    "$python" -c '
import resource, subprocess, sys, time
begin = time.monotonic()
done = subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "wb"), stderr=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{time.monotonic() - begin:.1f} s, {usage.ru_utime + usage.ru_stime:.1f} s of processor time, {usage.ru_maxrss // 1024} MiB")
sys.exit(done.returncode)' "$@" || fail "$2 failed"
}

mkdir -p "$folder/local/.build-id"
for release in "$@"; do
    fetch_kernel "$release"
    id=$("$root/offsetd" build-id "$vmlinux")
    mkdir -p "$folder/local/.build-id/$(printf %.2s "$id")"
    ln -s "$vmlinux" "$folder/local/.build-id/$(printf %.2s "$id")/$(printf %s "$id" | cut -c 3-).debug"
done
export OFFSETD_LOCAL_FOLDERS="$folder/local"
start_server --offline
make_token
# volatility3 sends no header: its token is in the path.
list=$("$root/offsetd" token create --data "$folder/data" --label volatility --scope read --url "$server_url" \
    2>"$folder/token.log") ||
    fail "no token: $(cat "$folder/token.log")"
list=$list/volatility/banners.json

for release in "$@"; do
    fetch_kernel "$release"
    row 'offsetd export' "$(took /dev/null "$root/offsetd" export "$vmlinux" --format isf -o "$folder/offsetd.json")"
    row dwarf2json "$(took "$folder/dwarf2json.json" "$dwarf2json" linux --elf "$vmlinux")"
    "$python" "$root/bench/isf_compare.py" "$vmlinux" "$folder/offsetd.json" "$folder/dwarf2json.json" >"$folder/compared" ||
        verdict=1
    while read -r line; do
        row comparison "$line"
    done <"$folder/compared"
    (cd "$volatility" && PYTHONPATH=. "$python" development/schema_validate.py "$folder/offsetd.json") \
        >"$folder/validated" 2>&1 || true
    grep -q 'Validation successful' "$folder/validated" || fail "schema: $(tail -n 5 "$folder/validated")"
    row 'schema validator' accepted
    id=$("$root/offsetd" build-id "$vmlinux")
    left=10
    until get "$server_url/v1/exports/$id/isf" -fL -o "$folder/isf.json.gz" -H 'Prefer: wait=30' &&
        gzip -t "$folder/isf.json.gz" 2>"$folder/gzip.log"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || fail "no ISF from the server: $(head -c 500 "$folder/isf.json.gz")"
    done
    gzip -dc "$folder/isf.json.gz" | cmp - "$folder/offsetd.json" || fail 'the server has another ISF than the command line'
    row 'ISF of the server' 'the same bytes'
    if [ "$(architecture_of "$release")" = amd64 ]; then
        rm -rf "$folder/cache" "$folder/expected-cache" "$folder/subset-cache" "$folder/symbols"
        mkdir -p "$folder/cache" "$folder/expected-cache" "$folder/subset-cache" "$folder/symbols"
        mv "$folder/dwarf2json.json" "$folder/symbols/$release.json"
        dump_memory "$folder/dump"
        plugin "$folder/dump" linux.pslist.PsList '"COMM": *"sleep"'
        plugin "$folder/dump" linux.lsmod.Lsmod '"dummy"'
        plugin "$folder/dump" linux.mountinfo.MountInfo '"/evidence"'
        subset "$folder/dump"
        rm "$folder/dump"
    fi
done
exit "${verdict:-0}"
