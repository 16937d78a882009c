package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.TlsSegment;
import java.util.List;
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

    static final int PT_NOTE = 4;
    private static final int PT_LOAD = 1;
    private static final int PT_TLS = 7;
    private static final int PF_X = 1;
    private static final int PF_W = 2;

    /** {@code e_phnum} of a file with more program headers than fit 16 bits; {@code sh_info} of section 0 has the number. */
    private static final int PN_XNUM = 0xffff;

    static ProgramHeaders of(ElfHeader header, Section file, List<SectionHeader> sections) {
        long count = header.phnum() == PN_XNUM && !sections.isEmpty()
                ? sections.getFirst().info()
                : header.phnum();
        return new ProgramHeaders(file, header.isWide(), header.phoff(), header.phentsize(), count);
    }

    /**
     * Returns the thread-local segment as the table has it.
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
     * Returns a cursor over the table.
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

    /** Returns what the file loads from this address on, to the end of the segment; empty if it loads nothing there. */
    Section loadedAt(long address) throws MalformedInputException {
        return loaded((flags, start, size) -> address >= start && address - start < size ? address - start : -1);
    }

    /** Returns the first segment that the program can write and not run; empty if there is none. */
    Section data() throws MalformedInputException {
        return loaded((flags, start, size) -> (flags & (PF_W | PF_X)) == PF_W ? 0 : -1);
    }

    /** Choice of a loaded segment. */
    @FunctionalInterface
    private interface SegmentChoice {

        /** Returns where in the segment to start, or -1 to go on to the next segment. */
        long start(long flags, long address, long fileSize);
    }

    private Section loaded(SegmentChoice choice) throws MalformedInputException {
        ByteCursor in = requireInFile();
        int word = wide ? 8 : 4;
        for (long i = 0; i < count; i++) {
            in.seek(offset + i * entryBytes);
            if (in.u32() != PT_LOAD) {
                continue;
            }
            long flags = wide ? in.u32() : 0;
            long start = in.unsigned(word);
            long address = in.unsigned(word);
            in.skip(word);
            long size = in.unsigned(word);
            in.skip(word);
            flags = wide ? flags : in.u32();
            long from = choice.start(flags, address, size);
            if (from >= 0) {
                return segment("segment", start + from, size - from);
            }
        }
        return Section.absent("segment", file.byteOrder());
    }

    /** Consumer of note segments. */
    @FunctionalInterface
    interface NoteSegments {

        /** Receives a segment with its {@code p_align}; returns false to stop. */
        boolean accept(Section notes, long align) throws MalformedInputException;
    }

    /**
     * Hands out the segments of notes.
     *
     * @throws MalformedInputException if a header or segment lies outside the file
     */
    void forEachNoteSegment(NoteSegments sink) throws MalformedInputException {
        int word = wide ? 8 : 4;
        Section headers = new Section("program headers", file.bytes(), file.byteOrder());
        boolean goOn = true;
        for (long i = 0; i < count && goOn; i++) {
            ByteCursor in = headers.cursor(offset + i * entryBytes, wide ? 56 : 32);
            if (in.u32() == PT_NOTE) {
                in.skip(wide ? 4 : 0);
                long start = in.unsigned(word);
                in.skip(2L * word);
                long size = in.unsigned(word);
                in.skip(8);
                long align = in.unsigned(word);
                goOn = sink.accept(segment("note segment", start, size), align);
            }
        }
    }

    private Section segment(String name, long start, long size) throws MalformedInputException {
        if (start < 0 || size < 0 || start > file.size() || size > file.size() - start) {
            throw new MalformedInputException(
                    name,
                    ExtractionException.NO_OFFSET,
                    "p_offset 0x" + Long.toHexString(start) + " and p_filesz 0x" + Long.toHexString(size)
                            + " lie outside the file of " + file.size() + " bytes");
        }
        return new Section(name, file.bytes().asSlice(start, size), file.byteOrder());
    }
}
