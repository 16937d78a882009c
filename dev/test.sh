# shellcheck shell=sh disable=SC2154
# ./offsetd test [quick | shard N/COUNT]: installs missing tools where it may, runs the tests, and lists skipped and failed
# ones. With CI=true a missing tool is a failure. ./offsetd test commands [SCRIPT...] runs dev/commands.sh.

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
# Prints seconds, module and class of each test. Classes that dev/test-times.txt does not list count as five seconds.
class_times() {
    (
        cd "$root" || exit
        find ./*/src/test/java ./*/src/browser/java -name '*Tests.java' 2>/dev/null | LC_ALL=C sort | awk '
            FNR == NR { if (!/^#/) seconds[$3] = $1; next }
            {
                module = name = substr($0, 3)
                sub(/\/.*/, "", module)
                sub(/^.*\/java\//, "", name); sub(/\.java$/, "", name); gsub(/\//, ".", name)
                print (name in seconds) ? seconds[name] : 5, module, name
            }' dev/test-times.txt -
    )
}

# Prints the integration tests of shard $1 of $2, separated by commas. The longest are distributed first, each to the shard
# that has the least. The first shard also has the unit tests, three minutes of them.
tests_of_shard() {
    class_times | grep 'IntegrationTests$' | LC_ALL=C sort -k 1,1nr -k 3 | awk -v shard="$1" -v count="$2" '
        BEGIN { load[1] = 180 }
        {
            least = 1
            for (i = 2; i <= count; i++) if (load[i] + 0 < load[least] + 0) least = i
            load[least] += $1
            gsub(/\./, "/", $3)
            if (least == shard) { printf "%s%s", separator, $3; separator = "," }
        }'
}

# Tells Surefire and Failsafe how long each class takes, so that the longest start first. They run classes of which they
# know nothing before all others, and replace the file by one of the classes that ran.
write_times() {
    rm -f "$root"/*/.surefire-times "$root"/*/.surefire-unit-times
    class_times | awk -v root="$root" '{
        print "1," $1 * 1000 "," $3 ",all" >(root "/" $2 "/.surefire-" ($3 ~ /IntegrationTests$/ ? "" : "unit-") "times")
    }'
}

order='-Dsurefire.runOrder=balanced -Dsurefire.runOrder.statisticsFile.checksum=unit-times'
order="$order -Dfailsafe.runOrder=balanced -Dfailsafe.runOrder.statisticsFile.checksum=times"
whole=
case $#:${1:-} in
    # Only a whole run can tell which risks and branches the tests cover.
    0:)
        whole=yes
        goals="$order -Doffsetd.aot-cache=true -Pcoverage,browser -Dreliability=check verify"
        ;;
    # For the time between two edits: no long tests, no tools, no format check, no checkers in the compiler.
    1:quick) goals="$order -Pquick,unchecked,!fuzz-inputs test" ;;
    2:shard)
        shard=${2%%/*}
        count=${2#*/}
        case $2 in
            *[!0-9/]* | */*/*) shard= ;;
            */*) ;;
            *) shard= ;;
        esac
        if [ -z "$shard" ] || [ -z "$count" ] || [ "$shard" -lt 1 ] || [ "$shard" -gt "$count" ]; then
            say "not a shard: $2; expected N/COUNT with N from 1 to COUNT, for example 1/3"
            exit "$EXIT_USAGE"
        fi
        goals="$order -Doffsetd.aot-cache=true -Pbrowser"
        [ "$shard" -eq 1 ] || goals="$goals -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false"
        goals="$goals -Dit.test=$(tests_of_shard "$shard" "$count") -Dfailsafe.failIfNoSpecifiedTests=false verify"
        ;;
    *)
        say 'usage: offsetd test [quick | shard N/COUNT | commands [SCRIPT...]]'
        exit "$EXIT_USAGE"
        ;;
esac
[ "${1:-}" = quick ] || require_tools
may_install=yes
require_jdk
# Maven ends before C2 would pay.
export MAVEN_OPTS="${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
take_lock
log=$state/test.log
# Reports of earlier runs would be counted.
rm -rf "$root"/*/target/surefire-reports "$root"/*/target/failsafe-reports "$root"/*/target/jacoco.exec \
    "$root"/*/target/checklist
# Maven compiles again when sources have changed, not when checks have.
if [ "${1:-}" = quick ]; then
    : >"$state/unchecked"
elif [ -e "$state/unchecked" ]; then
    rm -rf "$root"/*/target/classes "$root"/*/target/test-classes
    rm "$state/unchecked"
fi
write_times
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
if [ -n "$whole" ]; then
    {
        grep '^#' "$root/dev/test-times.txt"
        # The first time in a report is that of its class.
        awk -v root="$root/" '
            FNR == 1 { found = 0 }
            !found && match($0, / time="[0-9.]*"/) {
                found = 1
                seconds = substr($0, RSTART + 7, RLENGTH - 8)
                module = substr(FILENAME, length(root) + 1); sub(/\/.*/, "", module)
                name = FILENAME; sub(/.*\/TEST-/, "", name); sub(/\.xml$/, "", name)
                if (seconds >= 10) printf "%d %s %s\n", seconds, module, name
            }' "$@" | sort -k 1,1nr -k 2
    } >"$state/test-times.txt"
fi
exit $verdict
