package dev.offsetd.extractor;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.extractor.layout.TypeCatalogue;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Result of a reading of types.
 *
 * @param elf the file
 * @param identity what the build is called; unknown if only some names were read
 * @param types the requested types and variables, with all that they hold by value
 * @param units units of {@code .debug_info} that were read; 1 if the file was read for its BTF
 * @param debugInfoBytes size of {@code .debug_info}, decompressed; of {@code .BTF} if that was read
 * @param missing the units that were left out, see {@link OffsetExtractor#leavingOutMissingUnits()}
 */
public record ExtractionReport(
        ElfFacts elf,
        Identity identity,
        TypeCatalogue types,
        int units,
        long debugInfoBytes,
        List<MissingUnit> missing) {

    /** Number of missing files that a message names. */
    private static final int NAMED_FILES = 3;

    public ExtractionReport {
        missing = List.copyOf(missing);
    }

    /** Returns a message about the units that were not read and their files, or null if none is missing. */
    static @Nullable String unread(List<MissingUnit> missing) {
        if (missing.isEmpty()) {
            return null;
        }
        String named = missing.stream()
                .limit(NAMED_FILES)
                .map(unit -> "%s (DWO id %016x)".formatted(HostileText.quote(unit.file()), unit.dwoId()))
                .collect(Collectors.joining(", "));
        int others = missing.size() - NAMED_FILES;
        return (missing.size() == 1 ? "1 unit was" : missing.size() + " units were")
                + " not read, because these files were not found: " + named
                + (others > 0 ? ", and " + others + " more" : "");
    }
}
