# shellcheck shell=sh disable=SC2154
# Trains an AOT cache (JEP 514): a JVM runs a program once, and writes its loaded and linked classes, and profiles of its
# methods, to a file from which later JVMs start. Figures: docs/performance.md. ./offsetd calls this with
#   $1     the program's folder, which gets offsetd.aot; an empty file records that training failed
#   $2...  the training run, which writes ./cache

home=$1
shift
mkdir -p "$state"
exec 9>>"$state/lock"
# While another process builds or trains, the program starts without a cache.
if lock -n && [ ! -e "$home/offsetd.aot" ]; then
    log=$state/training.log
    progress "offsetd: training the AOT cache for faster starts (once per build); log: $log"
    rm -rf "$home/training"
    mkdir "$home/training"
    # In the background, because a shell does not handle a signal until its foreground command ends.
    trap 'kill $! 2>/dev/null || :; exit 143' HUP INT TERM
    (
        cd "$home/training"
        # The user's settings and database stay out of the training run.
        exec env -i "PATH=$PATH" "HOME=$home/training" "JAVA_HOME=$JAVA_HOME" "$@"
    ) >"$log" 2>&1 </dev/null &
    if ! wait $! || ! mv "$home/training/cache" "$home/offsetd.aot" 2>>"$log"; then
        : >"$home/offsetd.aot"
        say "no AOT cache, so starts are slower: see $log; to train again, remove $home/offsetd.aot"
    fi
    trap - HUP INT TERM
    rm -rf "$home/training"
    progress ''
fi
release_lock
