package dev.offsetd.extractor;

import dev.offsetd.extractor.elf.StreamedElf;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Build-id and architecture of an ELF file, read from a stream that cannot be rewound, such as an archive entry.
 *
 * @param buildId its {@code NT_GNU_BUILD_ID} note, if it has one
 * @param architecture from the ELF header
 */
public record ElfIdentity(Optional<BuildId> buildId, Architecture architecture) {

    /**
     * Reads as much of a file as needed, and buffers at most a megabyte.
     *
     * @param in the file from its first byte on; its position afterwards is unspecified
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is not ELF, malformed, or the note may be in a part that was not buffered
     */
    public static ElfIdentity read(InputStream in) throws IOException, ExtractionException {
        StreamedElf elf = StreamedElf.read(in);
        return new ElfIdentity(elf.buildId(), elf.architecture());
    }
}
