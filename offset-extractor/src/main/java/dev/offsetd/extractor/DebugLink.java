package dev.offsetd.extractor;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * The {@code .gnu_debuglink} of a stripped file, which names its debug file (GDB manual, "Separate Debug Files").
 *
 * @param name of the debug file as the producer wrote it
 * @param crc32 checksum of the whole debug file, from 0 to 2<sup>32</sup>-1
 */
public record DebugLink(String name, long crc32) {

    private static final String SECTION = ".gnu_debuglink";
    private static final int READ_TOGETHER = 1 << 20;

    /** Reads the link of a file. */
    static Optional<DebugLink> of(ElfFile elf, Limits limits) throws ExtractionException {
        if (!elf.hasContents(SECTION)) {
            return Optional.empty();
        }
        Section link = elf.link(SECTION);
        String name = link.string(0, limits.maxNameBytes());
        // The checksum ends the section, after the name and padding to four bytes.
        return Optional.of(new DebugLink(
                name,
                link.cursor(Math.max(0, link.size() - Integer.BYTES), Integer.BYTES)
                        .u32()));
    }

    /** Returns the last part of the name, by which debug files are looked up; may be empty. */
    public String fileName() {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /** Computes the checksum of a file as links record it. */
    public static long crc32(Path file) throws IOException {
        CRC32 crc = new CRC32();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.allocate(READ_TOGETHER);
            while (channel.read(buffer) >= 0) {
                crc.update(buffer.flip());
                buffer.clear();
            }
        }
        return crc.getValue();
    }
}
