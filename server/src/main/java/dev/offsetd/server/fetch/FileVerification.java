package dev.offsetd.server.fetch;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** Verifies that a file is the complete ELF file of a build. */
final class FileVerification {

    /** {@link OffsetExtractor#inspect}, replaceable in tests. */
    @FunctionalInterface
    interface Inspection {
        ElfFacts inspect(Path file) throws IOException, ExtractionException;
    }

    private final Inspection inspection;

    FileVerification(Inspection inspection) {
        this.inspection = inspection;
    }

    /**
     * Verifies a file and returns its facts.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not an ELF file, is truncated, or has no or another build-id
     */
    ElfFacts verify(Path file, BuildId expected) throws IOException, ExtractionException {
        ElfFacts facts = inspection.inspect(file);
        BuildId own = facts.buildId().orElseThrow(() -> otherBuild("no NT_GNU_BUILD_ID note", expected));
        if (!own.equals(expected)) {
            throw otherBuild("NT_GNU_BUILD_ID is " + own, expected);
        }
        requirePossible(facts.architecture());
        return facts;
    }

    /** Checks that machine, class and byte order agree: a forged header would silently yield wrong sizes. */
    private static void requirePossible(Architecture architecture) throws MalformedInputException {
        boolean little = architecture.byteOrder() == ByteOrder.LITTLE_ENDIAN;
        boolean possible = switch (architecture.machine()) {
            // x86-64 also has a 32-bit ABI, x32.
            case "x86_64" -> little;
            case "i386" -> little && architecture.bits() == 32;
            case "s390", "s390x" -> !little;
            default -> true;
        };
        if (!possible) {
            throw new MalformedInputException(
                    "elf header",
                    ExtractionException.NO_OFFSET,
                    "machine " + architecture.machine() + ", " + architecture.bits() + "-bit, "
                            + architecture.byteOrderName() + "-endian; there is no such processor");
        }
    }

    private static MalformedInputException otherBuild(String found, BuildId expected) {
        return new MalformedInputException(
                ".note.gnu.build-id", ExtractionException.NO_OFFSET, found + "; expected " + expected);
    }
}
