# shellcheck shell=sh disable=SC2154
# ./offsetd test [quick]: installs missing tools where it may, runs the tests, and lists skipped and failed ones.
# With CI=true a missing tool is a failure. ./offsetd test commands [SCRIPT...] runs dev/commands.sh.

missing_tools() {
    grep -v '^#' "$root/dev/tools.txt" | while read -r package probe reason; do
        case $probe in
            /*) [ -e "$probe" ] ;;
            *) command -v "$probe" >/dev/null 2>&1 ;;
        esac || printf '%-11s %s\n' "$package" "$reason"
    done
}

require_tools() {
    missing=$(missing_tools)
    [ -n "$missing" ] || return 0
    printf 'Missing tools (Debian packages), and why the tests need them:\n%s\n' "$missing"
    packages=$(printf '%s\n' "$missing" | awk '{printf "%s%s", sep, $1; sep = " "}')
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
        echo "Installing them: apt-get install $packages"
        mkdir -p "$state"
        # One unreadable index or unknown package does not keep the others from being installed.
        # shellcheck disable=SC2086 # a list of packages
        {
            apt-get update || echo 'apt-get update failed; continuing with the present indexes'
            install_packages $packages || for package in $packages; do
                install_packages "$package" || :
            done
        } >"$state/apt.log" 2>&1 </dev/null
        missing=$(missing_tools)
        if [ -n "$missing" ]; then
            tail -n 20 "$state/apt.log" >&2
            say "apt-get did not install every tool; log: $state/apt.log"
        fi
    elif command -v apt-get >/dev/null 2>&1; then
        echo "To install them: sudo apt-get update && sudo apt-get install -y --no-install-recommends $packages"
    fi
    [ -n "$missing" ] || return 0
    if [ "${CI:-}" = true ]; then
        say 'tools are missing; with CI=true no test may be skipped for that'
        exit 1
    fi
    echo 'Tests that need a missing tool are skipped.'
}

if [ "${1:-}" = commands ]; then
    shift
    . "$root/dev/commands.sh"
    exit
fi
case $#:${1:-} in
    # Only a whole run can tell which risks and branches the tests cover.
    0:) goals='-Pcoverage,browser -Dreliability=check verify' ;;
    # For the time between two edits: no integration tests, no tools, no format check.
    1:quick) goals='-Dspotless.check.skip=true test' ;;
    *)
        say 'usage: offsetd test [quick | commands [SCRIPT...]]'
        exit "$EXIT_USAGE"
        ;;
esac
[ $# -gt 0 ] || require_tools
may_install=yes
require_jdk
take_lock
log=$state/test.log
# Reports of earlier runs would be counted.
rm -rf "$root"/*/target/surefire-reports "$root"/*/target/failsafe-reports "$root"/*/target/jacoco.exec \
    "$root"/*/target/checklist
echo "Running the tests; log: $log"
# The pipe's exit status is awk's, so Maven's goes through a file.
{
    result=0
    # shellcheck disable=SC2086 # a list of options
    (cd "$root" && ./mvnw -B -fae $goals) 2>&1 </dev/null || result=$?
    echo "$result" >"$state/test.code"
} | tee "$log" | awk '
    /^\[INFO\] Building offset/ || /^\[[A-Z]+\] Tests run:.* -- in / || /^\[INFO\] .*\. (SKIPPED|FAILURE \[)/ ||
    /^\[ERROR\] .*\.java:\[/ || /^\[ERROR\] Failed to execute goal/ {
        sub(/^\[(INFO|WARNING)\] /, "")
        print "  " substr($0, 1, 200)
        fflush()
    }'
release_lock
verdict=0
result=$(cat "$state/test.code")
if [ "$result" -ne 0 ]; then
    echo "Maven ended with exit code $result; log: $log"
    verdict=1
fi
set -- "$root"/*/target/*-reports/TEST-*.xml
[ -e "$1" ] || set -- /dev/null
awk -f "$root/dev/summary.awk" "$@" || verdict=1
exit $verdict
