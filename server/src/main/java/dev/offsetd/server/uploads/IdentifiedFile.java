package dev.offsetd.server.uploads;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.server.sources.FileVerification;
import dev.offsetd.server.sources.ReceivedFiles.ReceivedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An uploaded file whose build is known.
 *
 * @param build the key under which the build is stored, or will be
 * @param supplementary the file that it shares types with; null if it is self-contained
 */
record IdentifiedFile(
        ReceivedFile file,
        ElfFacts elf,
        FileKeys keys,
        BuildId build,
        @Nullable Path supplementary) {

    /**
     * Verifies that a file has the key that it was sent under. Raw BTF has no build-id, so its client may claim any.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not an ELF file, is truncated, or does not have the key
     */
    static IdentifiedFile of(ReceivedFile file, BuildId sentAs)
            throws IOException, ExtractionException, InterruptedException {
        ElfFacts elf = file.verify(sentAs);
        FileKeys keys = file.keys();
        if (!isClaim(elf, sentAs) && !keys.all().contains(sentAs)) {
            throw new MalformedInputException(
                    FileVerification.NOTE_SECTION,
                    ExtractionException.NO_OFFSET,
                    "the keys of the file are "
                            + keys.all().stream().map(BuildId::toString).collect(Collectors.joining(", "))
                            + "; expected one to be " + sentAs);
        }
        return new IdentifiedFile(file, elf, keys, sentAs, null);
    }

    /**
     * Returns the file under the key of its build: a GNU build-id that it was sent under, else the best key of the file, which
     * may have a GNU build-id, too.
     *
     * @param shared returns whether different programs have a key
     */
    IdentifiedFile underKeyOfBuild(Predicate<BuildId> shared) {
        return build.isGnu() ? this : new IdentifiedFile(file, elf, keys, keys.primary(shared), supplementary);
    }

    IdentifiedFile with(@Nullable Path supplementaryFile) {
        return new IdentifiedFile(file, elf, keys, build, supplementaryFile);
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
