package dev.offsetd.extractor;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.elf.StreamedElf;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Architecture;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Build-id and architecture of an ELF file, read from a stream that cannot be rewound, such as an archive entry.
 *
 * @param buildId its {@code NT_GNU_BUILD_ID} note, or null
 * @param architecture from the ELF header
 */
public record ElfIdentity(@Nullable BuildId buildId, Architecture architecture) {

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

    /**
     * Returns the build-id in the bytes of notes, such as those of {@code /sys/kernel/notes}; empty if they have none.
     *
     * @param order byte order of the machine that they are of
     * @throws ExtractionException if the build-id is none
     */
    public static Optional<BuildId> buildIdOfNotes(byte[] notes, ByteOrder order) throws ExtractionException {
        return ElfFile.buildIdOfNotes(new Section("notes", MemorySegment.ofArray(notes), order));
    }
}
