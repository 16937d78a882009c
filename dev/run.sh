# shellcheck shell=sh disable=SC2154
# Runs the class $main, which lies among the tests of $module, with the arguments of the command. What it downloads and
# compiles stays in the user's cache folder.

require_jdk
take_lock
log=$state/$command.log
classpath=$state/$command.classpath
progress "offsetd: compiling $command; log: $log"
if ! (
    cd "$root" &&
        ./mvnw -q -B -pl "$module" -am -Dspotless.check.skip=true \
            test-compile dependency:build-classpath -Dmdep.includeScope=test "-Dmdep.outputFile=$classpath"
) >"$log" 2>&1 </dev/null; then
    progress ''
    cat "$log" >&2
    say "the build failed; $log has this output"
    exit "$EXIT_BUILD_FAILED"
fi
progress ''
release_lock
cache=${XDG_CACHE_HOME:-$HOME/.cache}/offsetd
[ -t 2 ] && terminal=true || terminal=false
# 4 GB of heap: a large C++ program has some ten million DIEs, and a comparison holds them all.
# shellcheck disable=SC2086 # a list of options
exec "$JAVA_HOME/bin/java" -Xmx4g --enable-native-access=ALL-UNNAMED ${OFFSETD_JAVA_OPTS:-} \
    -Doffsetd.progress=$terminal "-Doffsetd.packages=$cache/packages" "-Doffsetd.compiled=$cache/compiled" \
    ${app:+"-Doffsetd.server-jar=$app/server/offsetd-server.jar"} \
    -cp "$root/$module/target/test-classes:$root/$module/target/classes:$(cat "$classpath")" "$main" "$@"
