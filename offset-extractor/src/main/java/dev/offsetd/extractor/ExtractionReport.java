package dev.offsetd.extractor;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.layout.TypeCatalogue;
import java.util.List;

/**
 * Result of a reading of types.
 *
 * @param elf the file
 * @param identity what the build is called; unknown if only some names were read
 * @param types the requested types and variables, with all that they hold by value
 * @param debugInfoBytes size of {@code .debug_info}, decompressed; of {@code .BTF} if that was read
 * @param missing the units that were left out, see {@link ReadOptions#leavingOutMissingUnits()}
 */
public record ExtractionReport(
        ElfFacts elf, Identity identity, TypeCatalogue types, long debugInfoBytes, List<MissingUnit> missing) {

    public ExtractionReport {
        missing = List.copyOf(missing);
    }
}
