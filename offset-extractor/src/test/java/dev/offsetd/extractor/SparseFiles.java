package dev.offsetd.extractor;

import dev.offsetd.extractor.testkit.DwarfSections;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that are larger than what is written of them. */
public final class SparseFiles {

    private static final int SECTION_HEADER_BYTES = 64;

    private SparseFiles() {}

    /**
     * A little-endian 64-bit file whose section of this name lies behind everything else and goes on past what is given
     * of it.
     *
     * @param bytes size of the section; behind {@code contents} the file has a hole
     */
    public static Path withLastSection(Path file, DwarfSections sections, String name, byte[] contents, long bytes)
            throws IOException {
        byte[] placeholder = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        byte[] elf = sections.with(name, placeholder).toElf().toBytes();
        ByteBuffer headers = ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN);
        int table = (int) headers.getLong(40);
        for (int at = table; at < elf.length; at += SECTION_HEADER_BYTES) {
            if (headers.getLong(at + 32) == placeholder.length
                    && elf[(int) headers.getLong(at + 24)] == placeholder[0]
                    && elf[(int) headers.getLong(at + 24) + 8] == placeholder[8]) {
                headers.putLong(at + 24, elf.length).putLong(at + 32, bytes);
            }
        }
        Files.write(file, elf);
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.seek(elf.length);
            out.write(contents);
            out.setLength(elf.length + bytes);
        }
        return file;
    }
}
