package dev.offsetd.server.identities;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.typesets.TypeSets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.springframework.stereotype.Component;

/** Reads what executables state of their names, with the probes of all type sets. */
@Component
public class ExecutableNames {

    /** Most type sets whose probes are looked for. */
    private static final int MAX_SETS = 200;

    private final TypeSets typeSets;
    private final OffsetExtractor extractor = new OffsetExtractor(Limits.DEFAULT, 1);

    ExecutableNames(TypeSets typeSets) {
        this.typeSets = typeSets;
    }

    /**
     * Reads the names in a file.
     *
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is malformed, unsupported or exceeds a limit
     */
    public Identity of(Path file) throws IOException, ExtractionException {
        return of(file, typeSets.first(MAX_SETS));
    }

    /** As {@link #of(Path)}, with the probes of these sets. */
    Identity of(Path file, List<TypeSet> sets) throws IOException, ExtractionException {
        return extractor.withProbes(TypeSets.probes(sets)).identity(file);
    }

    /**
     * Reads the keys of a file.
     *
     * @param sha256 of the file in hex
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is malformed, unsupported or exceeds a limit
     */
    FileKeys keysOf(Path file, String sha256) throws IOException, ExtractionException {
        return extractor.keys(file, sha256);
    }
}
