package dev.offsetd.extractor;

import dev.offsetd.extractor.elf.StreamedElf;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * What an ELF file is known by, read from a stream that cannot go back: an entry of an archive.
 *
 * @param buildId its {@code NT_GNU_BUILD_ID} note, if it has one
 * @param architecture from the ELF header
 */
public record ElfIdentity(Optional<BuildId> buildId, Architecture architecture) {

    /**
     * Reads as much of a file as it takes, and keeps a megabyte of it at most.
     *
     * @param in the file from its first byte on; it is left wherever the reading ended
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is no ELF file, or a broken one, or the note may be where it can no longer be read
     */
    public static ElfIdentity read(InputStream in) throws IOException, ExtractionException {
        StreamedElf elf = StreamedElf.read(in);
        return new ElfIdentity(elf.buildId(), elf.architecture());
    }
}
