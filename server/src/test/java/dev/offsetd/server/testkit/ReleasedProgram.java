package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/**
 * The server's program as a release has it: unpacked and, where many processes start, with an AOT cache. The JVMs that run
 * tests side by side share it.
 */
final class ReleasedProgram {

    /** Options of every JVM that runs the program. It lives for minutes at most, too short for the C2 compiler to pay off. */
    private static final List<String> OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED");

    /** Whether to train the cache, which takes as long as five starts without one. */
    private static final boolean WITH_CACHE = Boolean.getBoolean("offsetd.aot-cache");

    private static final Path FOLDER = Path.of("target", "released").toAbsolutePath();
    private static final Path CACHE = FOLDER.resolve("offsetd.aot");

    private ReleasedProgram() {}

    /** Returns the command of a JVM, without a class path and a main class. */
    static List<String> java() {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(OPTIONS);
        if (Unpacked.JAR.startsWith(FOLDER) && Files.exists(CACHE)) {
            command.addAll(List.of("-XX:AOTCache=" + CACHE, "-Xlog:aot*=off,cds*=off"));
        }
        return command;
    }

    /** Returns the jar that names its libraries: the first entry of the class path. */
    static Path jar() {
        return Unpacked.JAR;
    }

    private static final class Unpacked {

        static final Path JAR = unpack();

        private static Path unpack() {
            // The launcher has unpacked the program of the commands that run from the classes of the tests.
            String unpacked = System.getProperty("offsetd.server-jar");
            if (unpacked != null) {
                return Path.of(unpacked);
            }
            try (FileChannel file = FileChannel.open(
                            Path.of("target", "released.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock _ = file.lock()) {
                Path built = jarIn(Path.of("target"));
                Path stamp = FOLDER.resolve("made-of");
                String made = Files.getLastModifiedTime(built) + " " + WITH_CACHE;
                if (Files.notExists(stamp) || !Files.readString(stamp).equals(made)) {
                    FileSystemUtils.deleteRecursively(FOLDER);
                    run("-Djarmode=tools", "-jar", built.toString(), "extract", "--destination", FOLDER.toString());
                    if (WITH_CACHE) {
                        train(jarIn(FOLDER));
                    }
                    Files.writeString(stamp, made);
                }
                return jarIn(FOLDER);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static Path jarIn(Path folder) throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return files.filter(file -> file.getFileName().toString().matches("offsetd-server-.*-exec\\.jar"))
                        .findFirst()
                        .orElseThrow(() -> RequiredTool.unavailable("the server's jar has not been built"));
            }
        }

        /** Trains the AOT cache like packaging/programs.sh, with the options of the tests' processes. */
        private static void train(Path jar) throws IOException {
            Path folder = Files.createDirectories(FOLDER.resolve("training"));
            run(
                    "-XX:AOTCacheOutput=" + CACHE,
                    "-Dspring.aot.enabled=true",
                    "-jar",
                    jar.toString(),
                    "train",
                    "--data",
                    folder.resolve("data").toString());
            FileSystemUtils.deleteRecursively(folder);
        }

        private static void run(String... arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString()));
            command.addAll(OPTIONS);
            command.addAll(List.of(arguments));
            Path log = Path.of("target", "released.log");
            try {
                int exitCode = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start()
                        .waitFor();
                if (exitCode != 0) {
                    throw new IOException(String.join(" ", command) + " failed: " + Files.readString(log));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while the program was unpacked", e);
            }
        }
    }
}
