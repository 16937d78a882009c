package dev.offsetd.server.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command line as users run it, in a separate process. */
public final class CommandLine {

    private static final long TIMEOUT_SECONDS = 120;

    private static final Pattern NEEDED = Pattern.compile(
            "offsetd-cli|/cli/|offsetd-query|/query/|offsetd-packages|/packages/|offset-extractor|picocli|jackson|commons-"
                    + "|re2j|zstd-jni|/xz/|jspecify");

    private CommandLine() {}

    /** Result of a run. */
    public record Run(int exitCode, String out, String err) {}

    /**
     * Writes a launcher that starts the command line of this build without checking whether it is up to date.
     *
     * @param file the script to write
     */
    public static Path launcher(Path file) throws IOException {
        // Only the command line's own dependencies: every start opens each file of the class path.
        String classPath = Stream.of(
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .split(File.pathSeparator, -1))
                .filter(entry -> NEEDED.matcher(entry).find())
                .collect(Collectors.joining(File.pathSeparator));
        Files.writeString(file, """
                #!/bin/sh
                exec '%s' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '%s' \
                dev.offsetd.cli.Offsetd "$@"
                """.formatted(Path.of(System.getProperty("java.home"), "bin", "java"), classPath));
        return executable(file);
    }

    /** Makes a script executable. */
    public static Path executable(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /**
     * Runs a command and waits until it exits.
     *
     * @param folder working directory, which also receives the output
     * @param environment additions to the environment of this process
     */
    public static Run run(Path folder, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            throw new IOException(String.join(" ", command) + " has not ended after " + TIMEOUT_SECONDS + " s: "
                    + Files.readString(err));
        }
        return new Run(
                process.exitValue(),
                Files.readString(out, StandardCharsets.UTF_8),
                Files.readString(err, StandardCharsets.UTF_8));
    }
}
