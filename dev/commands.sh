# shellcheck shell=sh disable=SC2154
# ./offsetd test commands [SCRIPT...]: runs the commands of dev/commands.txt, or those of some scripts, one after the other,
# and lists the result of each. A run that ends with 77 lacks something that this machine does not have, and is skipped.

chosen=$*
seconds_limit=3600
logs=$state/commands
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Compiles the debug file of the commands.
make_small() {
    {
        seq 200 | sed 's/.*/struct made_up_& { long a, b; char name[&]; int *next; short c, d, e, f; } object_&;/'
        for type in rb_control_frame_struct task_struct PG; do
            echo "struct $type { long first; struct made_up_1 made_up; int last; } object_$type;"
        done
        seq 50 | sed 's/.*/int function_&(int a) { return a * &; }/'
    } >"$work/small.c"
    gcc -g -shared -fPIC -nostdlib -Wl,--build-id -o "$work/small.so" "$work/small.c"
}

# Runs the command $2 of the script $1, and prints its result.
run_command() {
    log=$logs/$number-$(basename "$1").log
    began=$(date +%s)
    code=0
    (
        cd "$root"
        # shellcheck disable=SC2016 # the shell of the command expands these
        timeout -k 60 "$seconds_limit" sh -euc 'skip() { echo "$1"; exit 77; }
'"$2"
    ) >"$log" 2>&1 </dev/null || code=$?
    took=$(($(date +%s) - began))
    case $code in
        0)
            passed=$((passed + 1))
            printf 'ok      %5d s  %s\n' "$took" "$2"
            ;;
        77)
            skipped=$((skipped + 1))
            printf 'skipped %5d s  %s: %s\n' "$took" "$1" "$(tail -n 1 "$log")"
            ;;
        *)
            failed=$((failed + 1))
            printf 'FAILED  %5d s  %s: exit code %d; log: %s\n' "$took" "$2" "$code" "$log"
            tail -n 5 "$log" | sed 's/^/    /'
            ;;
    esac
}

require_tools
require_jdk
rm -rf "$logs"
mkdir -p "$logs"
make_small
postgres=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
small=$work/small.so
export work small postgres
number=0
passed=0
failed=0
skipped=0
while read -r script command; do
    case $script:$command in '#'* | : | *:'in '*) continue ;; esac
    number=$((number + 1))
    case " ${chosen:-$script} " in *" $script "*) run_command "$script" "$command" ;; esac
done <"$root/dev/commands.txt"
if [ $((passed + failed + skipped)) -eq 0 ]; then
    say "no command of $chosen: dev/commands.txt"
    exit "$EXIT_USAGE"
fi
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
