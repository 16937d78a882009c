# shellcheck shell=sh disable=SC2154
# ./offsetd install DIR: puts the server, a Java runtime and an AOT cache into an empty folder: packaging/README.md.

if [ $# -ne 1 ] || [ -z "$1" ]; then
    say 'usage: offsetd install DIR'
    exit "$EXIT_USAGE"
fi
if [ -n "$(ls -A "$1" 2>/dev/null)" ]; then
    say "install: $1 is not empty"
    exit "$EXIT_USAGE"
fi
require_build
# What jdeps finds in the server's jars, and what they load by name.
modules=java.base,java.compiler,java.desktop,java.instrument,java.management,java.naming,java.net.http,java.prefs
modules=$modules,java.rmi,java.scripting,java.security.jgss,java.security.sasl,java.sql,java.sql.rowset
modules=$modules,java.transaction.xa,java.xml,jdk.charsets,jdk.crypto.ec,jdk.jfr,jdk.management,jdk.naming.dns,jdk.net
modules=$modules,jdk.security.auth,jdk.unsupported,jdk.zipfs
if ! mkdir -p "$1" || ! home=$(CDPATH='' cd "$1" && pwd -P) ||
    ! "$JAVA_HOME/bin/jlink" --add-modules "$modules" --no-man-pages --no-header-files --output "$home/runtime" >&2 ||
    ! cp -Rp "$app/server/lib" "$app/server/offsetd-server.jar" "$app/server/offsetd-server" "$home/"; then
    say "install: cannot write $1"
    exit "$EXIT_BUILD_FAILED"
fi
train_server "$home"
chmod -R a+rX "$home"
echo "The server: $home/offsetd-server"
