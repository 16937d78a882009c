package dev.offsetd.server.uploads;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.fetch.ReceivedFiles.ReceivedFile;
import java.io.IOException;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * An uploaded file whose build is known.
 *
 * @param build the key under which the build is stored, or will be
 */
record IdentifiedFile(ReceivedFile file, ElfFacts elf, FileKeys keys, BuildId build) {

    private static final OffsetExtractor EXTRACTOR = new OffsetExtractor(Limits.DEFAULT, 1);

    /**
     * Verifies that a file has the key that it was sent under. A build is stored under that key if it is a GNU build-id, else
     * under the best key of the file: it may have a GNU build-id, too. Raw BTF has no build-id, so its client may claim any.
     *
     * @param shared returns whether different programs have a key
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not an ELF file, is truncated, or does not have the key
     */
    static IdentifiedFile of(ReceivedFile file, BuildId sentAs, Predicate<BuildId> shared)
            throws IOException, ExtractionException {
        ElfFacts elf = file.verify(sentAs);
        FileKeys keys = EXTRACTOR.keys(file.path(), file.sha256());
        if (!isClaim(elf, sentAs) && !keys.all().contains(sentAs)) {
            throw new MalformedInputException(
                    UploadProblems.NOTE_SECTION,
                    ExtractionException.NO_OFFSET,
                    "the keys of the file are "
                            + keys.all().stream().map(BuildId::toString).collect(Collectors.joining(", "))
                            + "; expected one to be " + sentAs);
        }
        return new IdentifiedFile(file, elf, keys, sentAs.isGnu() ? sentAs : keys.primary(shared));
    }

    private static boolean isClaim(ElfFacts elf, BuildId sentAs) {
        return elf.isRawBtf() && sentAs.isGnu();
    }

    /** Returns whether nothing but the client says that the file is this build's. */
    boolean isClaim() {
        return isClaim(elf, build);
    }

    boolean isStripped() {
        return !elf.hasTypes();
    }
}
