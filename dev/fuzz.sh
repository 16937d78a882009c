# shellcheck shell=sh disable=SC2154
# ./offsetd fuzz [TARGET] [--duration TIME]: runs the fuzz targets, or one of them, for 10m or TIME each.

target='*'
duration=10m
while [ $# -gt 0 ]; do
    case $1 in
        --duration)
            if [ $# -lt 2 ]; then
                say '--duration needs a time, for example 10m'
                exit "$EXIT_USAGE"
            fi
            duration=$2
            shift
            ;;
        -*)
            say 'usage: offsetd fuzz [TARGET] [--duration TIME]'
            exit "$EXIT_USAGE"
            ;;
        *) target=$1 ;;
    esac
    shift
done
# Failsafe fails in a module that has no such target.
modules=$(
    cd "$root" && find ./*/src/test/java -name "${target}FuzzTests.java" |
        cut -d / -f 2 | sort -u | tr '\n' ',' | sed 's/,$//'
)
if [ -z "$modules" ]; then
    say "no fuzz target $target: there is no class ${target}FuzzTests"
    exit "$EXIT_USAGE"
fi
require_jdk
take_lock
cd "$root"
./mvnw -B -pl "$modules" -am -Pfuzz -Dspotless.check.skip=true -Dtest=none \
    "-Dfuzz.target=$target" "-Dfuzz.duration=$duration" \
    test-compile failsafe:integration-test@fuzz failsafe:verify@fuzz </dev/null || exit 1
