package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.TlsSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The program header table of a file (gABI, "Program Header"). Not thread-safe. */
final class ProgramHeaders {

    static final int PT_LOAD = 1;
    static final int PT_DYNAMIC = 2;
    static final int PT_NOTE = 4;
    static final int PT_TLS = 7;
    private static final int PF_X = 1;
    private static final int PF_W = 2;

    /** {@code e_phnum} of a file with more program headers than fit 16 bits; {@code sh_info} of section 0 has the number. */
    private static final int PN_XNUM = 0xffff;

    /** Largest number of headers of a core file. Linux writes one for each mapping, by default 65,530. */
    private static final int MAX_HEADERS_OF_CORE = 1 << 18;

    /** How often the bytes of a file are in its segments. Neighbours share the page on which one ends and the next starts. */
    private static final int MAX_OVERLAP = 2;

    private final Section file;
    private final boolean wide;
    private final long offset;
    private final int entryBytes;
    private final long count;
    private final int most;
    private @Nullable List<Segment> loaded;
    private @Nullable NavigableMap<Long, Segment> byAddress;

    private ProgramHeaders(ElfHeader header, Section file, long count) {
        this.file = file;
        this.wide = header.isWide();
        this.offset = header.phoff();
        this.entryBytes = header.phentsize();
        this.count = count;
        this.most = header.type() == CoreFile.ET_CORE ? MAX_HEADERS_OF_CORE : ProgramHeader.MOST;
    }

    static ProgramHeaders of(ElfHeader header, Section file, List<SectionHeader> sections) {
        long count = header.phnum() == PN_XNUM && !sections.isEmpty()
                ? sections.getFirst().info()
                : header.phnum();
        return new ProgramHeaders(header, file, count);
    }

    /**
     * An entry of the program header table.
     *
     * @param type {@code p_type}
     * @param flags {@code p_flags}
     * @param offset {@code p_offset}: bytes from the start of the file
     * @param address {@code p_vaddr}
     * @param fileSize {@code p_filesz}
     * @param memorySize {@code p_memsz}
     * @param align {@code p_align}
     */
    record Segment(long type, long flags, long offset, long address, long fileSize, long memorySize, long align) {

        /** Reads the entry at the cursor. */
        static Segment read(ByteCursor in, boolean wide) throws MalformedInputException {
            int word = wide ? Long.BYTES : Integer.BYTES;
            long type = in.u32();
            // p_flags comes here in 64-bit files, and before p_align in others.
            long flags = wide ? in.u32() : 0;
            long offset = in.unsigned(word);
            long address = in.unsigned(word);
            in.skip(word);
            long fileSize = in.unsigned(word);
            long memorySize = in.unsigned(word);
            flags = wide ? flags : in.u32();
            return new Segment(type, flags, offset, address, fileSize, memorySize, in.unsigned(word));
        }

        boolean isCode() {
            return (flags & PF_X) != 0;
        }

        /** Returns whether the program can write and not run it. */
        boolean isData() {
            return (flags & (PF_W | PF_X)) == PF_W;
        }

        /** Returns whether the file has the byte that is loaded at an address. */
        boolean hasInFile(long at) {
            return Long.compareUnsigned(at - address, fileSize) < 0;
        }

        boolean isIn(Section file) {
            return offset >= 0 && fileSize >= 0 && offset <= file.size() && fileSize <= file.size() - offset;
        }

        /**
         * Returns the bytes in the file, without the first ones.
         *
         * @throws MalformedInputException if they lie outside the file
         */
        Section bytesIn(Section file, String name, long from) throws MalformedInputException {
            if (!isIn(file)) {
                throw new MalformedInputException(
                        name,
                        ExtractionException.NO_OFFSET,
                        "p_offset 0x" + Long.toHexString(offset) + " and p_filesz 0x" + Long.toHexString(fileSize)
                                + " lie outside the file of " + file.size() + " bytes");
            }
            return new Section(name, file.bytes().asSlice(offset + from, fileSize - from), file.byteOrder());
        }
    }

    Section file() {
        return file;
    }

    /** {@code e_phoff}: bytes from the start of the file. */
    long offset() {
        return offset;
    }

    /** {@code e_phentsize}. */
    int entryBytes() {
        return entryBytes;
    }

    /** {@code e_phnum}, or where the gABI puts it if that is too small. */
    long count() {
        return count;
    }

    /**
     * Returns the entries of a type, {@code p_type}, in their order.
     *
     * @throws MalformedInputException if the table lies outside the file, or has too many entries
     */
    List<Segment> ofType(int type) throws MalformedInputException {
        return read(found -> found == type);
    }

    /** Returns all entries in their order. */
    List<Segment> all() throws MalformedInputException {
        return read(_ -> true);
    }

    private List<Segment> read(LongPredicate wanted) throws MalformedInputException {
        ByteCursor in = requireInFile();
        if (count > most) {
            throw malformed("the file has " + count + " program headers; expected up to " + most);
        }
        List<Segment> found = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            in.seek(offset + i * entryBytes);
            Segment segment = Segment.read(in, wide);
            if (wanted.test(segment.type)) {
                found.add(segment);
            }
        }
        return found;
    }

    /** Returns the segments that a loader loads. */
    List<Segment> loaded() throws MalformedInputException {
        if (loaded == null) {
            loaded = ofType(PT_LOAD);
        }
        return loaded;
    }

    /** Returns the segment with the highest start that has an address in memory. */
    Optional<Segment> holding(long address) throws MalformedInputException {
        if (byAddress == null) {
            byAddress = new TreeMap<>(Long::compareUnsigned);
            loaded().forEach(segment -> byAddress.put(segment.address(), segment));
        }
        return Optional.ofNullable(byAddress.floorEntry(address))
                .map(Map.Entry::getValue)
                .filter(segment -> Long.compareUnsigned(address - segment.address(), segment.memorySize()) < 0);
    }

    /**
     * Returns whether the file has all that a loader loads, and code in it: then it is a program, not the start of a longer
     * file.
     */
    boolean areOfWholeProgram() {
        try {
            return loaded().stream().allMatch(segment -> segment.isIn(file))
                    && loaded().stream().anyMatch(segment -> segment.isCode() && segment.fileSize() > 0);
        } catch (MalformedInputException outside) {
            return false;
        }
    }

    /**
     * Returns the thread-local segment as the table has it.
     *
     * @throws MalformedInputException if the table lies outside the file
     */
    Optional<TlsSegment> tlsSegment() throws MalformedInputException {
        return ofType(PT_TLS).stream()
                .findFirst()
                .map(segment ->
                        new TlsSegment(segment.address(), segment.fileSize(), segment.memorySize(), segment.align()));
    }

    /**
     * Returns a cursor over the table.
     *
     * @throws MalformedInputException if it lies outside the file
     */
    ByteCursor requireInFile() throws MalformedInputException {
        int expected = wide ? 56 : 32;
        if (count != 0 && entryBytes != expected) {
            throw malformed("e_phentsize is " + entryBytes + "; expected " + expected);
        }
        return new Section("program headers", file.bytes(), file.byteOrder())
                .cursor(count == 0 ? 0 : offset, count * entryBytes);
    }

    private static MalformedInputException malformed(String problem) {
        return new MalformedInputException(ElfHeader.NAME, ExtractionException.NO_OFFSET, problem);
    }

    /** Returns what the file has of the loaded segments that are wanted. */
    List<ElfFile.LoadedBytes> contents(Predicate<Segment> wanted) throws MalformedInputException {
        List<ElfFile.LoadedBytes> found = new ArrayList<>();
        long bytes = 0;
        for (Segment segment : loaded()) {
            bytes += segment.fileSize();
            if (bytes < 0 || bytes > MAX_OVERLAP * file.size()) {
                throw malformed("segments up to here have " + bytes + " bytes, the file has " + file.size());
            }
            if (wanted.test(segment)) {
                found.add(new ElfFile.LoadedBytes(segment.address(), segment.bytesIn(file, "segment", 0)));
            }
        }
        return found;
    }

    /** @param isOfProgram whether the file has the bytes of its program where the table says */
    List<ProgramHeader> table(boolean isOfProgram) throws MalformedInputException {
        return all().stream()
                .map(segment -> new ProgramHeader(
                        segment.type(),
                        segment.flags(),
                        segment.address(),
                        segment.memorySize(),
                        segment.align(),
                        isOfProgram ? segment.offset() : null,
                        isOfProgram ? segment.fileSize() : null))
                .toList();
    }

    /** Returns where the bytes that are loaded from an address on are in the file; empty if it does not have all of them. */
    OptionalLong offsetOf(long address, long size) throws MalformedInputException {
        for (Segment segment : loaded()) {
            long from = address - segment.address();
            if (address != 0
                    && size > 0
                    && segment.hasInFile(address)
                    && segment.isIn(file)
                    && size <= segment.fileSize() - from) {
                return OptionalLong.of(segment.offset() + from);
            }
        }
        return OptionalLong.empty();
    }

    /** Returns what the file loads from this address on, to the end of the segment; empty if it loads nothing there. */
    Section loadedAt(long address) throws MalformedInputException {
        for (Segment segment : loaded()) {
            if (segment.hasInFile(address)) {
                return segment.bytesIn(file, "segment", address - segment.address());
            }
        }
        return Section.absent("segment", file.byteOrder());
    }
}
