package dev.offsetd.extractor.checklist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Results of test methods and skipped classes; of several runs, the worst one counts. Stored in one file per JVM run,
 * as one tab-separated line per test.
 */
final class TestRuns {

    /** Result of a test, from best to worst. */
    enum Result {
        PASSED,
        SKIPPED,
        FAILED
    }

    /**
     * Result of a test with its reason.
     *
     * @param reason the reason why the test was skipped; empty otherwise
     */
    record Run(Result result, String reason) {}

    /** Placeholder for the method name if a whole class was skipped. */
    private static final String ALL_METHODS = "*";

    private static final String SUFFIX = ".tsv";

    private final Map<String, Run> runs = new TreeMap<>();

    /** Records the result of a method. */
    void add(String className, String method, Result result, String reason) {
        runs.merge(
                className + "\t" + method,
                new Run(result, reason.strip().replaceAll("\\s+", " ")),
                (before, now) -> now.result().compareTo(before.result()) > 0 ? now : before);
    }

    /** Records that a class was skipped. */
    void addSkippedClass(String className, String reason) {
        add(className, ALL_METHODS, Result.SKIPPED, reason);
    }

    /** Returns the result of a test, or empty if it never started. */
    Optional<Run> of(CoveringTest test) {
        for (String name = test.className(); ; name = name.substring(0, name.lastIndexOf('$'))) {
            Run skipped = runs.get(name + "\t" + ALL_METHODS);
            if (skipped != null) {
                return Optional.of(skipped);
            }
            if (name.indexOf('$') < 0) {
                return Optional.ofNullable(runs.get(test.className() + "\t" + test.method()));
            }
        }
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    /** Writes a new file into the folder, creating the folder if needed. */
    void writeInto(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.write(
                folder.resolve(UUID.randomUUID() + SUFFIX),
                runs.entrySet().stream()
                        .map(run -> run.getKey() + "\t" + run.getValue().result() + "\t"
                                + run.getValue().reason())
                        .toList());
    }

    /** Adds the results in the files of a folder. No-op if the folder does not exist. */
    void readFrom(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(SUFFIX)).toList()) {
                for (String line : Files.readAllLines(file)) {
                    List<String> fields = List.of(line.split("\t", -1));
                    if (fields.size() != 4) {
                        throw new IOException(file + ": " + fields.size() + " fields in a line; expected 4");
                    }
                    add(fields.get(0), fields.get(1), Result.valueOf(fields.get(2)), fields.get(3));
                }
            }
        }
    }
}
