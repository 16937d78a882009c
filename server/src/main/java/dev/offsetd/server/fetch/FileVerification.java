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

/** Makes sure that a file is the whole ELF file of the build that was asked for. */
final class FileVerification {

    /** {@link OffsetExtractor#inspect}, as seen from here. */
    @FunctionalInterface
    interface Inspection {
        ElfFacts inspect(Path file) throws IOException, ExtractionException;
    }

    private final Inspection inspection;

    FileVerification(Inspection inspection) {
        this.inspection = inspection;
    }

    /**
     * What the file says of itself, once it is sure that it belongs to this build.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is no ELF file, is cut off, or has another build-id or none
     */
    ElfFacts verify(Path file, BuildId asked) throws IOException, ExtractionException {
        ElfFacts facts = inspection.inspect(file);
        BuildId own = facts.buildId().orElseThrow(() -> otherBuild("no NT_GNU_BUILD_ID note", asked));
        if (!own.equals(asked)) {
            throw otherBuild("NT_GNU_BUILD_ID is " + own, asked);
        }
        requirePossible(facts.architecture());
        return facts;
    }

    /** Machine, class and byte order agree: a file of which a part was made up tells wrong sizes in silence. */
    private static void requirePossible(Architecture architecture) throws MalformedInputException {
        boolean little = architecture.byteOrder() == ByteOrder.LITTLE_ENDIAN;
        boolean possible = switch (architecture.machine()) {
            // Of x86-64 there is x32, with 32-bit pointers.
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

    private static MalformedInputException otherBuild(String found, BuildId asked) {
        return new MalformedInputException(
                ".note.gnu.build-id", ExtractionException.NO_OFFSET, found + "; expected " + asked);
    }
}
