# shellcheck shell=sh disable=SC2154
# Puts the programs of the build and a Java runtime for them into the empty folder $1: the folder of a release.
assemble() {
    # What jdeps finds in the server's jars, and what they load by name.
    modules=java.base,java.compiler,java.desktop,java.instrument,java.management,java.naming,java.net.http,java.prefs
    modules=$modules,java.rmi,java.scripting,java.security.jgss,java.security.sasl,java.sql,java.sql.rowset
    modules=$modules,java.transaction.xa,java.xml,jdk.charsets,jdk.crypto.ec,jdk.jfr,jdk.management,jdk.naming.dns
    modules=$modules,jdk.net,jdk.security.auth,jdk.unsupported,jdk.zipfs
    "$JAVA_HOME/bin/jlink" --add-modules "$modules" --no-man-pages --no-header-files --output "$1/runtime" >&2 &&
        cp -Rp "$app/server/lib" "$app/server/offsetd-server.jar" "$app/server/offsetd-server" "$1/" &&
        mkdir "$1/cli" &&
        cp -Rp "$app/cli/lib" "$app/cli/offsetd-cli.jar" "$app/cli/offsetd-cli" "$1/cli/" &&
        cp -p "$root/packaging/offsetd" "$root/packaging/programs.sh" "$1/" &&
        chmod -R u+w,a+rX "$1"
}
