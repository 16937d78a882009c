# shellcheck shell=sh
# How the programs of a build start. ./offsetd reads this file, as does the offsetd of a release.

user_options="${OFFSETD_JAVA_OPTS:-} ${JDK_JAVA_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-}"

say() {
    printf 'offsetd: %s\n' "$*" >&2
}

# Tells the current step: on the current line of a terminal, which an empty text clears, and elsewhere in a separate line.
progress() {
    if [ -t 2 ]; then
        printf '\r\033[K%s' "$*" >&2
    elif [ -n "$*" ]; then
        printf '%s\n' "$*" >&2
    fi
}

# Takes the turn to train the program in folder $1. A folder without the number of a process is taken for one that was just
# made, unless it is older than a minute.
take_training() {
    if mkdir "$1/training" 2>/dev/null; then
        echo $$ >"$1/training/process"
        return
    fi
    if trainer=$(cat "$1/training/process" 2>/dev/null); then
        ! kill -0 "$trainer" 2>/dev/null || return 1
    else
        [ -n "$(find "$1/training" -prune -mmin +1 2>/dev/null)" ] || return 1
    fi
    rm -rf "$1/training" && mkdir "$1/training" 2>/dev/null && echo $$ >"$1/training/process"
}

# Is there a cache in folder $1 that was made there?
has_cache() {
    [ -e "$1/offsetd.aot" ] && { IFS= read -r made_in <"$1/offsetd.aot.folder" && [ "$made_in" = "$1" ]; } 2>/dev/null
}

# Trains an AOT cache (JEP 514) of the program in folder $1: a JVM runs the program once, and writes its loaded and linked
# classes, and profiles of its methods, to a file from which later JVMs start. Figures: docs/performance.md. $2... is the
# training run, which writes ./cache. Does nothing if the folder has a cache, cannot be written, or another process trains;
# or if the user decides about archives, because the JVM refuses an AOT cache beside another kind. An empty cache records
# that training failed. The JVM does not start with a cache that was made in another folder, so offsetd.aot.folder names
# that folder: the cache of a program that was moved is made again. Every user may read the cache: it has classes of the
# program only, and a service runs as another user than the one who installs it.
train() {
    case $user_options in *-XX:AOT* | *-Xshare* | *-XX:Shared*File* | *-XX:ArchiveClassesAtExit*) return ;; esac
    ! has_cache "$1" && [ -w "$1" ] && take_training "$1" || return 0
    program=$1
    shift
    progress "offsetd: training the AOT cache for faster starts (once, 10 to 60 seconds); log: $program/training.log"
    # In the background, because a shell does not handle a signal until its foreground command ends.
    trap 'kill $! 2>/dev/null || :; exit 143' HUP INT TERM
    (
        cd "$program/training"
        # The user's settings and database stay out of the training run.
        exec env -i "PATH=$PATH" "HOME=$program/training" ${JAVA_HOME:+"JAVA_HOME=$JAVA_HOME"} \
            OFFSETD_JAVA_OPTS=-XX:AOTCacheOutput=cache "$@"
    ) >"$program/training.log" 2>&1 </dev/null &
    if ! wait $! || ! mv "$program/training/cache" "$program/offsetd.aot" 2>>"$program/training.log"; then
        : >"$program/offsetd.aot"
        say "no AOT cache, so starts are slower: see $program/training.log; to train again, remove $program/offsetd.aot"
    fi
    printf '%s\n' "$program" >"$program/offsetd.aot.folder"
    chmod a+r "$program/offsetd.aot" "$program/offsetd.aot.folder"
    trap - HUP INT TERM
    rm -rf "$program/training"
    progress ''
}

train_server() {
    train "$1" "$1/offsetd-server" train --data data
}

train_cli() {
    train "$1" "$1/offsetd-cli" train .
}

# Starts the server in folder $1. It listens first, and trains its AOT cache afterwards by train_server of this file, $2.
start_server() {
    server=$1
    programs=$2
    shift 2
    exec "$server/offsetd-server" serve "--offsetd.trained-by=$programs" "$@"
}

# Runs a command of the command line in folder $1.
start_command() {
    command_line=$1
    shift
    train_cli "$command_line"
    exec "$command_line/offsetd-cli" "$@"
}
