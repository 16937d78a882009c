# shellcheck shell=sh disable=SC2154
# Puts the programs of the build and a Java runtime for them into the empty folder $1: the folder of a release.
assemble() {
    # jlink leaves out the archive of Java's own classes, which starts without an AOT cache need. The locale,
    # the collector and the heap decide its bytes, which must not differ between machines.
    # What jdeps finds in the server's jars, what they load by name, and the modules of all providers that java.security lists:
    # Java looks for one that is missing in every jar and loads hundreds of Bouncy Castle's classes for it, at each start.
    modules=java.base,java.compiler,java.desktop,java.instrument,java.management,java.naming,java.net.http,java.prefs
    modules=$modules,java.rmi,java.scripting,java.security.jgss,java.security.sasl,java.smartcardio,java.sql
    modules=$modules,java.sql.rowset,java.transaction.xa,java.xml,java.xml.crypto,jdk.charsets,jdk.crypto.cryptoki
    modules=$modules,jdk.crypto.ec,jdk.jfr,jdk.management,jdk.naming.dns,jdk.net,jdk.security.auth,jdk.security.jgss
    modules=$modules,jdk.unsupported,jdk.zipfs
    "$JAVA_HOME/bin/jlink" --add-modules "$modules" --no-man-pages --no-header-files --output "$1/runtime" >&2 &&
        env -u JAVA_TOOL_OPTIONS -u JDK_JAVA_OPTIONS LC_ALL=C.UTF-8 \
            "$1/runtime/bin/java" -Xshare:dump -XX:+UseG1GC -Xmx1g >/dev/null &&
        cp -Rp "$app/server/lib" "$app/server/offsetd-server.jar" "$app/server/offsetd-server" "$1/" &&
        mkdir "$1/cli" &&
        cp -Rp "$app/cli/lib" "$app/cli/offsetd-cli.jar" "$app/cli/offsetd-cli" "$1/cli/" &&
        cp -p "$root/packaging/offsetd" "$root/packaging/programs.sh" "$1/" &&
        unpack_postgresql "$1" &&
        chmod -R u+w,a+rX "$1"
}

# Replaces the archive of PostgreSQL's programs in the folder $1 by the programs: a first start needs 2 seconds less, and the
# release is no larger. The layers of an image have no links, so each library has the name by which programs load it.
unpack_postgresql() {
    "$1/offsetd-server" unpack-postgresql "$1/postgresql" &&
        find "$1/postgresql/lib" -maxdepth 1 -name '*.so' -type l -delete &&
        find "$1/postgresql/lib" -maxdepth 1 -type l \
            -exec sh -c 'for link; do mv "$(readlink -f "$link")" "$link" || exit; done' sh {} + &&
        rm "$1"/lib/embedded-postgres-binaries-*.jar
}
