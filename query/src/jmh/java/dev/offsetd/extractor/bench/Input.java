package dev.offsetd.extractor.bench;

import java.nio.file.Path;

/** The file that benchmarks read. */
public final class Input {

    /** Go's output for a program, 200 kB; among the fixtures of the tests, so that every clone has it. */
    public static final String COMMITTED = "go119-dwarf4-x86_64-el/types.debug";

    private static final Path FIXTURES = Path.of("offset-extractor/src/test/resources/fixtures");

    private Input() {}

    /** Where a file is: an absolute path, or one from the folder of the fixtures; the process runs in the root of the repository. */
    public static Path path(String file) {
        return FIXTURES.resolve(file);
    }
}
