# shellcheck shell=sh disable=SC2154
# ./offsetd install DIR: puts offsetd, a Java runtime and AOT caches into an empty folder: packaging/README.md.

. "$root/packaging/assemble.sh"

case ${1:-} in
    -h | --help)
        echo 'usage: offsetd install DIR'
        exit 0
        ;;
    '' | -*) usage=wrong ;;
    *) usage= ;;
esac
if [ $# -ne 1 ] || [ -n "$usage" ]; then
    say 'usage: offsetd install DIR'
    exit "$EXIT_USAGE"
fi
if [ -n "$(ls -A "$1" 2>/dev/null)" ]; then
    say "install: $1 is not empty"
    exit "$EXIT_USAGE"
fi
require_build
progress 'offsetd: assembling the programs and a Java runtime (about 10 seconds)'
if ! mkdir -p "$1" || ! home=$(CDPATH='' cd "$1" && pwd -P) || ! assemble "$home"; then
    say "install: cannot write $1"
    exit "$EXIT_BUILD_FAILED"
fi
progress ''
train_server "$home"
train_cli "$home/cli"
chmod -R a+rX "$home"
echo "The server: $home/offsetd-server"
