#!/bin/sh
# Measures the reader on a debug file, in one warm process, and prints JSON with two figures: "full scan" reads every unit and
# compares every definition of the type, and "whole catalogue" extracts every named type and variable.
#
#   bench/reader.sh [--threads N] [--warm-up N] [--runs N] FILE TYPE      default: all processors, 20 and 20
#
# The classes stay in query/target/jmh. JAVA_HOME must be a JDK 25; OFFSETD_JAVA_OPTS holds options for the JVM.

set -eu
# shellcheck source=bench/servers.sh
. "$(dirname "$0")/servers.sh"

usage='usage: bench/reader.sh [--threads N] [--warm-up N] [--runs N] FILE TYPE'
threads=$(nproc)
warmup=20
runs=20
while [ $# -gt 2 ]; do
    [ "${2:-none}" -ge 0 ] 2>/dev/null || fail "$1 ${2:-}: expected a number; $usage"
    case $1 in
        --threads) threads=$2 ;;
        --warm-up) warmup=$2 ;;
        --runs) runs=$2 ;;
        *) fail "$usage" ;;
    esac
    shift 2
done
if [ $# -ne 2 ] || [ ! -f "$1" ]; then
    fail "$usage"
fi
compile_benchmarks
run_benchmark dev.offsetd.extractor.bench.ReaderMeasurement "$1" "$2" "$threads" "$warmup" "$runs"
