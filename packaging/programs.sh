# shellcheck shell=sh
# How the programs of a build start. ./offsetd reads this file, as does the offsetd of a release.

user_options="${OFFSETD_JAVA_OPTS:-} ${JDK_JAVA_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-}"

say() {
    printf 'offsetd: %s\n' "$*" >&2
}

# Replaces the current line of a terminal; an empty text clears it.
progress() {
    [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2
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
# that folder: the cache of a program that was moved is made again.
train() {
    case $user_options in *-XX:AOT* | *-Xshare* | *-XX:Shared*File* | *-XX:ArchiveClassesAtExit*) return ;; esac
    ! has_cache "$1" && [ -w "$1" ] && take_training "$1" || return 0
    home=$1
    shift
    progress "offsetd: training the AOT cache for faster starts (once); log: $home/training.log"
    # In the background, because a shell does not handle a signal until its foreground command ends.
    trap 'kill $! 2>/dev/null || :; exit 143' HUP INT TERM
    (
        cd "$home/training"
        # The user's settings and database stay out of the training run.
        exec env -i "PATH=$PATH" "HOME=$home/training" ${JAVA_HOME:+"JAVA_HOME=$JAVA_HOME"} \
            OFFSETD_JAVA_OPTS=-XX:AOTCacheOutput=cache "$@"
    ) >"$home/training.log" 2>&1 </dev/null &
    if ! wait $! || ! mv "$home/training/cache" "$home/offsetd.aot" 2>>"$home/training.log"; then
        : >"$home/offsetd.aot"
        say "no AOT cache, so starts are slower: see $home/training.log; to train again, remove $home/offsetd.aot"
    fi
    printf '%s\n' "$home" >"$home/offsetd.aot.folder"
    trap - HUP INT TERM
    rm -rf "$home/training"
    progress ''
}

train_server() {
    train "$1" "$1/offsetd-server" train --data data
}

train_cli() {
    train "$1" "$1/offsetd-cli" train .
}

# Starts the server in folder $1, unless $2... only ask for its help.
start_server() {
    server=$1
    shift
    case " $* " in *' -h '* | *' --help '*) ;; *) train_server "$server" ;; esac
    exec "$server/offsetd-server" serve "$@"
}

# Runs a command of the command line in folder $1.
start_command() {
    command_line=$1
    shift
    train_cli "$command_line"
    exec "$command_line/offsetd-cli" "$@"
}
