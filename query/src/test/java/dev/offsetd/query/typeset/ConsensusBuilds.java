package dev.offsetd.query.typeset;

import dev.offsetd.query.typeset.ConsensusBuild.Found;
import dev.offsetd.query.typeset.ConsensusBuild.Source;
import dev.offsetd.query.typeset.SetBuild.BuildFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds that are each other's peers in the measured consensus: packages of Debian's suites and architectures that have debug
 * information, and sources of Debian compiled with options that move members.
 */
final class ConsensusBuilds {

    private static final String LOCAL = "amd64";

    private final CompiledRuntimes compiled;
    private final List<Listed> listed = new ArrayList<>();

    /**
     * A build of the list.
     *
     * @param place suite, architecture and package
     * @param options that it is compiled with, if not those of Debian
     */
    record Listed(String set, String place, String options, Source source) {}

    private ConsensusBuilds(Path folder) {
        this.compiled = new CompiledRuntimes(folder.toAbsolutePath());
    }

    /** @param folder for compiled files; existing ones are not compiled again */
    static List<Listed> all(Path folder) {
        ConsensusBuilds builds = new ConsensusBuilds(folder);
        builds.ruby();
        builds.python();
        builds.php();
        builds.perl();
        builds.luajit();
        builds.glibc();
        return builds.listed;
    }

    /** Builds out of packages that other tests need too. */
    static List<Listed> quick(Path folder) {
        ConsensusBuilds builds = new ConsensusBuilds(folder);
        builds.perl(Runtimes.THIS_RELEASE, "5.36", LOCAL);
        return builds.listed;
    }

    private void add(String set, String place, String options, Source source) {
        listed.add(new Listed(set, place, options, source));
    }

    private void glibc() {
        for (String suite : List.of("bullseye-security", "bookworm-security")) {
            glibc(suite, LOCAL);
        }
        glibc("bookworm-security", "arm64");
        for (String architecture : List.of(LOCAL, "arm64", "i386", "armhf")) {
            glibc("bullseye", architecture);
            glibc("bullseye-updates", architecture);
        }
        for (String architecture : List.of(LOCAL, "arm64", "i386", "armhf", "s390x", "ppc64el")) {
            glibc(Runtimes.THIS_RELEASE, architecture);
        }
        for (String architecture : List.of(LOCAL, "arm64", "i386", "armhf", "s390x", "ppc64el", "riscv64")) {
            glibc("trixie", architecture);
            glibc("forky", architecture);
            glibc("experimental", architecture);
        }
    }

    private void glibc(String suite, String architecture) {
        // Before 2.33, neither ld.so nor libpthread states its version.
        for (String file : suite.startsWith("bullseye") ? List.of("libc") : List.of("libc", "ld[a-z0-9-]*")) {
            add(
                    "glibc",
                    String.join(" ", suite, architecture, file),
                    "",
                    () -> ConsensusBuild.separate(
                            suite,
                            architecture,
                            "libc6",
                            ".*/lib/[^/]+/" + file + "(-[0-9.]+\\.so|\\.so\\.[0-9]+)",
                            "libc6-dbg"));
        }
    }

    private void perl() {
        perl("bullseye-security", "5.32", LOCAL);
        perl("bookworm-security", "5.36", LOCAL);
        for (String architecture : List.of(LOCAL, "arm64", "s390x", "i386")) {
            if (!architecture.equals("s390x")) {
                perl("bullseye", "5.32", architecture);
            }
            for (String[] release : new String[][] {
                {Runtimes.THIS_RELEASE, "5.36"},
                {"trixie", "5.40"},
                {"forky", "5.42"},
                {"experimental", "5.44"}
            }) {
                perl(release[0], release[1], architecture);
            }
        }
        add(
                "perl",
                "trixie amd64 compiled",
                "without threads",
                () -> compiled("trixie", "perl", "no-threads", """
                ./Configure -des -Uusethreads -Doptimize='-O0 -g' -Duseshrplib && make -j2 libperl.so
                """, "libperl\\.so"));
    }

    private void perl(String suite, String version, String architecture) {
        String place = suite + " " + architecture + " ";
        add(
                "perl",
                place + "libperl",
                "",
                () -> ConsensusBuild.separate(
                        suite, architecture, "libperl" + version, ".*/libperl\\.so\\.[0-9.]+", "perl-debug"));
        add(
                "perl",
                place + "perl",
                "",
                () -> ConsensusBuild.separate(suite, architecture, "perl-base", ".*/usr/bin/perl", "perl-debug"));
        add(
                "perl",
                place + "debugperl",
                "DEBUGGING",
                () -> ConsensusBuild.whole(suite, architecture, "perl-debug", ".*/usr/bin/debugperl"));
    }

    private void python() {
        python("bullseye", "3.9", LOCAL);
        python("bullseye-security", "3.9", LOCAL);
        python("bullseye", "3.9", "arm64");
        python("bookworm-security", "3.11", LOCAL);
        python("bookworm-security", "3.11", "arm64");
        for (String architecture : List.of(LOCAL, "arm64", "s390x", "i386")) {
            for (String[] release : new String[][] {
                {Runtimes.THIS_RELEASE, "3.11"},
                {"trixie", "3.13"},
                {"forky", "3.13"},
                {"sid", "3.13"},
                {"forky", "3.14"},
                {"sid", "3.14"},
                {"forky", "3.15"},
                {"sid", "3.15"}
            }) {
                python(release[0], release[1], architecture);
            }
        }
        add(
                "python",
                "trixie amd64 compiled",
                "free-threaded",
                () -> compiled("trixie", "python3.13", "free-threaded", """
                ./configure --enable-shared --disable-gil OPT='-O0 -g' && make -j2 libpython3.13t.so.1.0
                """, "libpython3\\.13t\\.so\\.1\\.0"));
    }

    private void python(String suite, String version, String architecture) {
        String place = suite + " " + architecture + " ";
        String debug = "python" + version + "-dbg";
        add(
                "python",
                place + "libpython",
                "",
                () -> ConsensusBuild.separate(
                        suite, architecture, "libpython" + version, ".*/libpython[0-9.]+\\.so\\.1\\.0", debug));
        add(
                "python",
                place + "python",
                "",
                () -> ConsensusBuild.separate(
                        suite, architecture, "python" + version + "-minimal", ".*/usr/bin/python[0-9.]+", debug));
        add(
                "python",
                place + "pythond",
                "debug",
                () -> ConsensusBuild.whole(suite, architecture, debug, ".*/usr/bin/python[0-9.]+d"));
        add(
                "python",
                place + "libpythond",
                "debug",
                () -> ConsensusBuild.whole(
                        suite, architecture, "libpython" + version + "-dbg", ".*/libpython[0-9.]+d\\.so\\.1\\.0"));
    }

    private void ruby() {
        for (String[] release : new String[][] {
            {"bullseye", "bullseye", "2.7"},
            {Runtimes.THIS_RELEASE, Runtimes.THIS_RELEASE, "3.1"},
            {"trixie", "trixie", "3.3"},
            {"trixie", "forky", "3.3"}
        }) {
            String version = release[2];
            add(
                    "ruby",
                    release[1] + " amd64 libruby",
                    "",
                    () -> new Found(
                            CompiledRuntimes.find(
                                    CompiledRuntimes.unpacked(release[1], "libruby" + version, LOCAL),
                                    ".*/libruby-[0-9.]+\\.so\\.[0-9.]+"),
                            compiled.ruby(release[0], release[1], "ruby" + version)));
        }
        String configure =
                "./configure --enable-shared --disable-install-doc --without-gmp optflags=-O0 debugflags=-g ";
        for (String[] options : new String[][] {
            {"trixie", "ruby3.3", "plain", ""},
            {"trixie", "ruby3.3", "gc-check", "cppflags=-DRGENGC_CHECK_MODE=1"}
        }) {
            add(
                    "ruby",
                    options[0] + " amd64 compiled",
                    options[3],
                    () -> compiled(
                            options[0],
                            options[1],
                            options[2],
                            configure + options[3] + " && make -j2 prog",
                            "libruby\\.so\\.[0-9.]+"));
        }
    }

    private void php() {
        for (String[] release : new String[][] {
            {"bullseye", "7.4"},
            {Runtimes.THIS_RELEASE, "8.2"},
            {"bookworm-security", "8.2"},
            {"trixie", "8.4"},
            {"forky", "8.4"},
            {"trixie-security", "8.4"},
            {"experimental", "8.5"},
            {"experimental", "8.6"}
        }) {
            add("php", release[0] + " amd64 php", "", () -> {
                BuildFiles files = compiled.php(release[0], "php" + release[1]);
                return new Found(files.symbols(), files);
            });
        }
        String configure = "CFLAGS='-O1 -g -w' ./configure --disable-all --disable-cgi --disable-phpdbg --enable-cli ";
        for (String[] options : new String[][] {
            {"trixie", "php8.4", "nts", ""},
            {"trixie", "php8.4", "zts", "--enable-zts"}
        }) {
            add(
                    "php",
                    options[0] + " amd64 compiled",
                    "--disable-all " + options[3],
                    () -> compiled(
                            options[0],
                            options[1],
                            options[2],
                            configure + options[3] + " && make -j2 sapi/cli/php",
                            "sapi/cli/php"));
        }
    }

    private void luajit() {
        for (String suite : List.of("bullseye", Runtimes.THIS_RELEASE, "trixie", "forky", "experimental")) {
            add("luajit", suite + " amd64 libluajit", "", () -> {
                BuildFiles files = compiled.luajit(suite);
                return new Found(files.symbols(), files);
            });
        }
        for (String[] options : new String[][] {
            {"trixie", "whole", ""},
            {"bullseye", "gc64", "-DLUAJIT_ENABLE_GC64"},
            {"trixie", "no-gc64", "-DLUAJIT_DISABLE_GC64"}
        }) {
            add(
                    "luajit",
                    options[0] + " amd64 compiled",
                    options[2],
                    () -> compiled(
                            options[0],
                            "luajit",
                            options[1],
                            "make CCDEBUG=-g CCOPT=-O1 XCFLAGS=" + options[2] + " -j2 -C src",
                            "libluajit\\.so"));
        }
    }

    private Found compiled(String suite, String name, String label, String commands, String result) throws IOException {
        BuildFiles files = compiled.variant(suite, name, label, commands, result);
        return new Found(files.types(), files);
    }
}
