package dev.offsetd.extractor.testkit;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** A program of this machine that a test needs. */
public final class RequiredTool {

    private static final long TIMEOUT_SECONDS = 900;

    private static final int SHOWN_ERRORS = 2_000;

    private final String name;
    private final Path path;

    private final Map<String, String> environment = new HashMap<>();

    private RequiredTool(String name, Path path) {
        this.name = name;
        this.path = path;
    }

    /** Returns the tool if it is installed. Otherwise the test fails if {@code CI=true} and is skipped elsewhere. */
    public static RequiredTool require(String name) {
        String searchPath = System.getenv("PATH");
        for (String folder : (searchPath == null ? "" : searchPath).split(File.pathSeparator, -1)) {
            Path candidate = Path.of(folder, name);
            if (Files.isExecutable(candidate)) {
                return new RequiredTool(name, candidate);
            }
        }
        throw unavailable(name + " is not installed");
    }

    /** Returns a tool at an explicit path, such as one from an unpacked package. */
    public static RequiredTool at(Path path) {
        return new RequiredTool(path.getFileName().toString(), path);
    }

    public Path path() {
        return path;
    }

    /** Returns the additional environment variables. */
    public Map<String, String> environment() {
        return Map.copyOf(environment);
    }

    /** Returns the same tool with an additional environment variable. */
    public RequiredTool with(String variable, Object value) {
        RequiredTool changed = new RequiredTool(name, path);
        changed.environment.putAll(environment);
        changed.environment.put(variable, value.toString());
        return changed;
    }

    /** Fails the test if {@code CI=true}; otherwise skips it with the given reason. */
    public static AssertionError unavailable(String reason) {
        if ("true".equals(System.getenv("CI"))) {
            return Assertions.fail(reason + "; it must not be missing in CI");
        }
        Assumptions.abort(reason);
        return new AssertionError(reason);
    }

    /**
     * Runs the tool and returns its standard output.
     *
     * @throws IOException if it cannot be run, fails, or runs for more than 15 minutes; the message contains its
     *     standard error
     */
    public String output(Object... arguments) throws IOException {
        return run(null, arguments);
    }

    /** Does the same as {@link #output}, in the given folder. */
    public String outputIn(Path folder, Object... arguments) throws IOException {
        return run(folder.toFile(), arguments);
    }

    /** Runs the tool and streams its standard output, of any length, to the reader. */
    public void stream(OutputReader reader, Object... arguments) throws IOException {
        Path errors = Files.createTempFile("stderr", ".txt");
        try {
            Process process = start(null, errors, arguments);
            try (InputStream out = process.getInputStream()) {
                reader.read(out);
            }
            finish(process, errors);
        } finally {
            Files.deleteIfExists(errors);
        }
    }

    @FunctionalInterface
    public interface OutputReader {
        void read(InputStream out) throws IOException;
    }

    private String run(@Nullable File folder, Object... arguments) throws IOException {
        Path errors = Files.createTempFile("stderr", ".txt");
        try {
            Process process = start(folder, errors, arguments);
            String out;
            try (InputStream stream = process.getInputStream()) {
                out = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            }
            finish(process, errors);
            return out;
        } finally {
            Files.deleteIfExists(errors);
        }
    }

    private Process start(@Nullable File folder, Path errors, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(path.toString()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(errors.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        if (folder != null) {
            builder.directory(folder);
        }
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        Process process = builder.start();
        // Some tools hang on some files without printing anything.
        CompletableFuture.delayedExecutor(TIMEOUT_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        return process;
    }

    private void finish(Process process, Path errors) throws IOException {
        try {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(name + " has not ended after " + TIMEOUT_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException(name + " was interrupted", e);
        }
        if (process.exitValue() != 0) {
            throw new IOException(
                    String.format(Locale.ROOT, "%s ended with %d: %s", name, process.exitValue(), beginning(errors)));
        }
    }

    /** Returns the beginning of the error output: a tool that crashes may print hundreds of lines. */
    private static String beginning(Path errors) throws IOException {
        String text = Files.readString(errors);
        return text.length() <= SHOWN_ERRORS ? text : text.substring(0, SHOWN_ERRORS) + "...";
    }
}
