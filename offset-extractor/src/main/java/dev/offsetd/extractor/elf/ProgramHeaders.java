package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.TlsSegment;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The program header table of a file (gABI, "Program Header").
 *
 * @param file the whole file
 * @param wide whether it is a 64-bit one
 * @param offset {@code e_phoff}: bytes from the start of the file
 * @param entryBytes {@code e_phentsize}
 * @param count {@code e_phnum}, or where the gABI puts it if that is too small
 */
record ProgramHeaders(Section file, boolean wide, long offset, int entryBytes, long count) {

    private static final int PT_TLS = 7;

    /**
     * The thread-local segment as the table has it.
     *
     * @throws MalformedInputException if the table lies outside the file
     */
    Optional<TlsSegment> tlsSegment() throws ExtractionException {
        if (count == 0) {
            return Optional.empty();
        }
        ByteCursor in = requireInFile();
        for (long i = 0; i < count; i++) {
            in.seek(offset + i * entryBytes);
            if (in.u32() == PT_TLS) {
                return Optional.of(tlsSegment(in));
            }
        }
        return Optional.empty();
    }

    /**
     * A cursor over the table.
     *
     * @throws MalformedInputException if it lies outside the file
     */
    ByteCursor requireInFile() throws MalformedInputException {
        int expected = wide ? 56 : 32;
        if (count != 0 && entryBytes != expected) {
            throw new MalformedInputException(
                    ElfHeader.NAME,
                    ExtractionException.NO_OFFSET,
                    "e_phentsize is " + entryBytes + "; expected " + expected);
        }
        return new Section("program headers", file.bytes(), file.byteOrder())
                .cursor(count == 0 ? 0 : offset, count * entryBytes);
    }

    /** @param in behind {@code p_type} */
    private TlsSegment tlsSegment(ByteCursor in) throws MalformedInputException {
        int word = wide ? 8 : 4;
        // p_flags comes here in 64-bit files, and before p_align in others; p_offset and p_paddr are not needed.
        in.skip(wide ? 4 : 0);
        in.skip(word);
        long address = in.unsigned(word);
        in.skip(word);
        long fileSize = in.unsigned(word);
        long memorySize = in.unsigned(word);
        in.skip(wide ? 0 : 4);
        return new TlsSegment(address, OptionalLong.of(fileSize), memorySize, in.unsigned(word));
    }
}
