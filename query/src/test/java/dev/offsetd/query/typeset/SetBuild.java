package dev.offsetd.query.typeset;

import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A build of a runtime that a type set is checked against.
 *
 * @param name what it is called on the command line
 * @param set the set's name
 * @param known offsets of members and sizes of types in bytes, by item, as tools that read this runtime have them
 * @param source fetches or compiles it
 */
record SetBuild(String name, String set, Map<String, Long> known, Source source) {

    SetBuild {
        known = Map.copyOf(known);
    }

    SetBuild(String name, String set, Source source) {
        this(name, set, Map.of(), source);
    }

    /** The same build, whose offset of a member, or size of a type, tools that read this runtime have as this. */
    SetBuild having(String item, long bytes) {
        Map<String, Long> more = new HashMap<>(known);
        more.put(item, bytes);
        return new SetBuild(name, set, more, source);
    }

    /** Gets the files of a build. */
    @FunctionalInterface
    interface Source {
        BuildFiles files() throws IOException, ExtractionException;
    }

    /**
     * The files of a build.
     *
     * @param origin packages with their versions, and what was done with them
     * @param types the file with the debug information
     * @param symbols the file with the symbols; the same, where the debug information is of the runtime itself
     * @param supplementary the file that the debug information shares types with others in
     */
    record BuildFiles(String origin, Path types, Path symbols, Optional<Path> supplementary) {

        BuildFiles(String origin, Path both) {
            this(origin, both, both, Optional.empty());
        }
    }
}
