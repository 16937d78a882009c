package dev.offsetd.extractor.corpus;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A file that is compared.
 *
 * @param origin what it is made of: packages with their versions, or how it was compiled
 * @param path the file that the reader is given
 * @param dumped the file that the tools are given: the same, but for split DWARF the one that the units were moved to, and
 *     for BTF the one that still has its DWARF
 * @param supplementary the file that it shares DIEs and names with (DWARF 5 §7.3.6)
 * @param oracles the tools whose reading it is compared with
 */
public record CorpusFile(String origin, Path path, Path dumped, Optional<Path> supplementary, List<Oracle> oracles) {

    public CorpusFile {
        oracles = List.copyOf(oracles);
    }

    /** A file that is whole in itself. */
    static CorpusFile of(String origin, Path path, Oracle... oracles) {
        return new CorpusFile(origin, path, path, Optional.empty(), List.of(oracles));
    }
}
