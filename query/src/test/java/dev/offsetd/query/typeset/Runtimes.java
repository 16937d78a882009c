package dev.offsetd.query.typeset;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.typeset.SetBuild.BuildFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Builds of runtimes: debug files out of Debian's packages, and where it has none, the sources that define what the sets
 * ask for, compiled with {@code -g} as Debian has configured them.
 */
final class Runtimes {

    /** The release that the packages of the tests are of. */
    static final String THIS_RELEASE = "bookworm";

    private final CompiledRuntimes compiled;

    /** @param folder for what is compiled; what is there already is not compiled again */
    Runtimes(Path folder) {
        this.compiled = new CompiledRuntimes(folder.toAbsolutePath());
    }

    /** Runtimes that take a second or two once their packages are there. */
    List<SetBuild> quick() {
        return List.of(
                ruby("3.1", THIS_RELEASE)
                        .having("rb_ractor_struct.threads.running_ec", 520)
                        .having("rb_control_frame_struct", 64)
                        .having("rb_iseq_constant_body.insns_info.body", 120),
                php("8.2", THIS_RELEASE).having("_zend_executor_globals.current_execute_data", 488),
                python("3.11", THIS_RELEASE)
                        .having("_ts.cframe", 56)
                        .having("_PyCFrame.current_frame|_cframe.current_frame", 8)
                        .having("_PyInterpreterFrame.f_executable|_PyInterpreterFrame.f_code", 32)
                        .having("_PyInterpreterFrame.previous", 48)
                        .having("_PyInterpreterFrame.owner", 69)
                        .having("PyASCIIObject", 48),
                perl("5.36", THIS_RELEASE)
                        .having("interpreter.Icurcop", 0xd0)
                        .having("interpreter.Icurstackinfo", 0xe0),
                luajit("2022", THIS_RELEASE).having("GCproto", 104).having("GCstr", 24),
                glibc("2.36", "libc", THIS_RELEASE, "amd64")
                        .having("pthread", 2368)
                        .having("pthread.specific_1stblock", 784),
                glibc("2.36", "ld", THIS_RELEASE, "amd64")
                        .having("pthread", 2368)
                        .having("pthread.specific_1stblock", 784),
                glibc("2.36", "libc", THIS_RELEASE, "arm64")
                        .having("pthread", 1856)
                        .having("pthread.specific_1stblock", 272));
    }

    /** All of them, the quick ones first. */
    List<SetBuild> all() {
        List<SetBuild> builds = new ArrayList<>(quick());
        builds.addAll(List.of(
                ruby("2.7", "bullseye")
                        .having("rb_control_frame_struct", 56)
                        .having("rb_iseq_constant_body.insns_info.body", 120)
                        .having("rb_vm_struct.ractor.main_thread|rb_vm_struct.main_thread", 192),
                ruby("3.3", "trixie")
                        .having("rb_ractor_struct.threads.running_ec", 384)
                        .having("rb_control_frame_struct", 56)
                        .having("rb_iseq_constant_body.insns_info.body", 112),
                php("7.4", "bullseye").having("_zend_executor_globals.current_execute_data", 488),
                php("8.4", "trixie").having("_zend_executor_globals.current_execute_data", 488),
                php("8.5", "experimental"),
                php("8.6", "experimental"),
                python("3.9", "bullseye").having("_ts.frame", 24).having("PyASCIIObject", 48),
                python("3.13", "trixie").having("_ts.current_frame", 72).having("PyASCIIObject", 40),
                python("3.13", "trixie", "arm64"),
                python("3.14", "sid"),
                python("3.15", "sid"),
                perl("5.32", "bullseye").having("interpreter.Icurcop", 0xe0).having("interpreter.Icurstackinfo", 0xf0),
                perl("5.40", "trixie").having("interpreter.Icurcop", 0xd0).having("interpreter.Icurstackinfo", 0xe0),
                luajit("2017", "bullseye").having("GCRef", 4),
                luajit("2025", "trixie").having("GCproto", 104).having("GCstr", 24),
                new SetBuild("luajit-2022-whole", "luajit", () -> compiled.wholeLuajit(THIS_RELEASE)),
                glibc("2.36", "libc", THIS_RELEASE, "i386"),
                glibc("2.36", "libc", THIS_RELEASE, "s390x"),
                glibc("2.31", "libc", "bullseye", "amd64")
                        .having("pthread", 2304)
                        .having("pthread.specific_1stblock", 784),
                glibc("2.31", "ld", "bullseye", "amd64"),
                glibc("2.31", "libpthread", "bullseye", "amd64")
                        .having("pthread", 2304)
                        .having("pthread.specific_1stblock", 784),
                glibc("2.41", "libc", "trixie", "amd64"),
                glibc("2.41", "ld", "trixie", "amd64"),
                glibc("2.41", "libc", "trixie", "arm64"),
                new SetBuild("jemalloc-5.3", "jemalloc", () -> compiled.jemalloc(THIS_RELEASE)),
                new SetBuild("jemalloc-5.1", "jemalloc", () -> compiled.jemallocOfRust(THIS_RELEASE)),
                openssl("1.1.1", "bullseye", 0x510, 0x13c),
                openssl("3.0", THIS_RELEASE, 0x918, 0x544),
                openssl("3.5", "trixie-security", 0x900, 0x57c).having("quic_conn_st.tls", 0x78),
                gnutls("3.7.1", "bullseye", 0x17c4),
                gnutls("3.7.9", THIS_RELEASE, 0x1754),
                gnutls("3.8", "trixie", 0x1994),
                node("18.20.8"),
                node("20.20.2"),
                node("22.23.3"),
                node("24.21.0"),
                go("1.21", "bookworm-backports", "amd64"),
                go("1.24", "trixie", "amd64"),
                go("1.24", "trixie", "arm64"),
                go("1.26", "forky", "amd64"),
                go("1.27", "forky", "amd64"),
                new SetBuild("beam-25", "beam", () -> compiled.beam(THIS_RELEASE)),
                new SetBuild("beam-27", "beam", () -> compiled.beam("trixie")).having("beam_code_header", 144)));
        return builds;
    }

    private SetBuild ruby(String version, String release) {
        return new SetBuild("ruby-" + version, "ruby", () -> compiled.ruby(release, "ruby" + version));
    }

    private SetBuild php(String version, String release) {
        return new SetBuild("php-" + version, "php", () -> compiled.php(release, "php" + version));
    }

    private SetBuild luajit(String year, String release) {
        return new SetBuild("luajit-" + year, "luajit", () -> compiled.luajit(release));
    }

    /** Offsets that ecapture has. */
    private SetBuild openssl(String version, String release, long session, long secret) {
        return new SetBuild("openssl-" + version, "openssl", () -> compiled.openssl(release))
                .having("ssl_connection_st.session|ssl_st.session", session)
                .having("ssl_connection_st.early_secret|ssl_st.early_secret", secret);
    }

    /** An offset that ecapture has. */
    private SetBuild gnutls(String version, String release, long secret) {
        return new SetBuild("gnutls-" + version, "gnutls", () -> compiled.gnutls(release))
                .having("gnutls_session_int.key.proto.tls13.e_ckey", secret);
    }

    private SetBuild node(String version) {
        return new SetBuild("node-" + version, "nodejs", () -> compiled.node(version));
    }

    /**
     * Debian's builds of {@code libruby} whose debug files are in no suite and too large to keep. Among the files that debuginfod.debian.net has by build-id (76d1b84a920b5746d7541144cb566e0bf8a65f0d, d0578622796a415da30d749b495bf4fadf75f941
     * and fc637feeb6a66e392373dafb6f7a35e516a7b8ea), these are the types of the set, as
     * {@code offsetd export FILE --format btf --types @ruby} writes them. They have no symbols.
     */
    static List<SetBuild> recorded() {
        return Stream.of("3.1.2-amd64", "3.4.5-amd64", "3.4.5-arm64")
                .map(build -> new SetBuild(
                        "ruby-" + build,
                        "ruby",
                        () -> new BuildFiles(
                                "libruby " + build + ": BTF of its types",
                                CompiledRuntimes.resource("ruby-" + build + ".btf"))))
                .toList();
    }

    /** Go's runtime in a small program. */
    private SetBuild go(String version, String release, String architecture) {
        return new SetBuild(
                "go-" + version + "-" + architecture, "go-runtime", () -> compiled.go(release, version, architecture));
    }

    private static SetBuild python(String version, String release) {
        return python(version, release, "amd64");
    }

    private static SetBuild python(String version, String release, String architecture) {
        String name = "python-" + version + (architecture.equals("amd64") ? "" : "-" + architecture);
        return new SetBuild(name, "python", () -> {
            Path folder = CompiledRuntimes.unpacked(release, "libpython" + version + "-dbg", architecture);
            return new BuildFiles(
                    DebianPackages.versions(folder), CompiledRuntimes.find(folder, ".*/libpython3[^/]*\\.so\\.1\\.0"));
        });
    }

    /** The debug files of Perl share types in a supplementary file. */
    private static SetBuild perl(String version, String release) {
        return new SetBuild("perl-" + version, "perl", () -> {
            Path folder = CompiledRuntimes.unpacked(release, "perl-debug", "amd64");
            Path types = defining(folder, "PL_thr_key");
            Optional<SupplementaryLink> link =
                    DebugInfo.read(types, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::supplementaryLink);
            Optional<Path> supplementary = Optional.empty();
            if (link.isPresent()) {
                String name = String.valueOf(Path.of(link.get().name()).getFileName());
                supplementary = Optional.of(CompiledRuntimes.find(folder, ".*/\\.dwz/.*/" + Pattern.quote(name)));
            }
            return new BuildFiles(DebianPackages.versions(folder), types, types, supplementary);
        });
    }

    private static SetBuild glibc(String version, String file, String release, String architecture) {
        String variable = switch (file) {
            case "libc" -> "main_arena";
            case "ld" -> "_rtld_global";
            default -> "nptl_version";
        };
        return new SetBuild(String.join("-", "glibc", version, file, architecture), "glibc", () -> {
            Path folder = CompiledRuntimes.unpacked(release, "libc6-dbg", architecture);
            return new BuildFiles(DebianPackages.versions(folder) + ", " + file, defining(folder, variable));
        });
    }

    /** The largest debug file in the folder that defines this variable. */
    private static Path defining(Path folder, String variable) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(file ->
                            file.toString().endsWith(".debug") && file.toFile().length() > 100_000)
                    .sorted((a, b) ->
                            Long.compare(b.toFile().length(), a.toFile().length()))
                    .toList();
        }
        for (Path file : files) {
            if (RequiredTool.require("nm")
                    .output(file)
                    .lines()
                    .anyMatch(line -> line.matches("\\w+ [bBdDC] " + variable))) {
                return file;
            }
        }
        throw new IOException("no debug file in " + folder + " defines " + variable);
    }
}
