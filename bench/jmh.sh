#!/bin/sh
# Runs the benchmarks of the extractor's parts (JMH): the cursor, LEB128, plans, and the catalogue.
#
#   bench/jmh.sh [REGEX] [JMH OPTION...]               default: all benchmarks, about six minutes
#   bench/jmh.sh Plan -p file=/FILE -f 1               with your file; -h lists the options
#   bench/jmh.sh --catalogue FILE...                   sizes of stored catalogues, and time to answer from them
#
# The classes stay in query/target/jmh. JAVA_HOME must be a JDK 25; OFFSETD_JAVA_OPTS holds options for the JVM.

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

compile_benchmarks
main=org.openjdk.jmh.Main
if [ "${1:-}" = --catalogue ]; then
    shift
    [ $# -gt 0 ] || fail 'usage: bench/jmh.sh --catalogue FILE...'
    main=dev.offsetd.extractor.bench.CatalogueMeasurement
else
    # From there the benchmarks know the file that they read if none is given.
    cd "$root"
fi
run_benchmark "$main" "$@"
