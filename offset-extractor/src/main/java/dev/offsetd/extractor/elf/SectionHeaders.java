package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.ArrayList;
import java.util.List;

/** Reader of the section header table (gABI, "Sections"). */
final class SectionHeaders {

    private static final String NAME = "section headers";

    /** Heap of a section header without the characters of its name, while the table is read: once unnamed, once named. */
    private static final long HEADER_HEAP_BYTES = 300;

    private static final long CHARACTER_HEAP_BYTES = 2;

    /** Numbers from here on are not those of sections. */
    static final int SHN_LORESERVE = 0xff00;

    /** Stands for a number of a section that does not fit 16 bits. */
    static final int SHN_XINDEX = 0xffff;

    private final ElfHeader header;
    private final Section table;
    private final Limits limits;
    private final HeapBudget heap;

    private SectionHeaders(ElfHeader header, Section file, Limits limits, HeapBudget heap) {
        this.header = header;
        this.table = new Section(NAME, file.bytes(), file.byteOrder());
        this.limits = limits;
        this.heap = heap;
    }

    /**
     * Reads the table; empty if the file has none, or one that was overwritten with zeros.
     *
     * @param heap for the headers and their names
     * @throws MalformedInputException if the table, or a section that it describes, lies outside the file
     */
    static List<SectionHeader> read(ElfHeader header, Section file, Limits limits, HeapBudget heap)
            throws ExtractionException {
        List<SectionHeader> read =
                header.shoff() == 0 ? List.of() : new SectionHeaders(header, file, limits, heap).read();
        return read.stream().allMatch(section -> section.type() == SectionHeader.SHT_NULL) ? List.of() : read;
    }

    private List<SectionHeader> read() throws ExtractionException {
        int expected = header.sectionHeaderBytes();
        if (header.shentsize() != expected) {
            throw malformed("e_shentsize is " + header.shentsize() + "; expected " + expected);
        }
        if (header.shoff() < 0 || header.shoff() > table.size() - expected) {
            throw malformed("e_shoff 0x" + Long.toHexString(header.shoff()) + " lies outside the file of "
                    + table.size() + " bytes");
        }
        // Section counts and indexes from 0xff00 do not fit the ELF header; section 0, otherwise unused, has them.
        SectionHeader first = read(0);
        long count = header.shnum() == 0 ? first.size() : header.shnum();
        long names = header.shstrndx() == SHN_XINDEX ? first.link() : header.shstrndx();
        requireFew(count);
        if (names >= count) {
            throw malformed("e_shstrndx is " + names + ", the file has " + count + " sections");
        }
        List<SectionHeader> unnamed = new ArrayList<>((int) count);
        for (int i = 0; i < count; i++) {
            Deadline.checkCurrent(i);
            unnamed.add(read(i));
        }
        return named(unnamed, (int) names);
    }

    private void requireFew(long count) throws ExtractionException {
        if (count < 0 || count > (table.size() - header.shoff()) / header.shentsize()) {
            throw malformed("section header table of " + Long.toUnsignedString(count) + " entries at 0x"
                    + Long.toHexString(header.shoff()) + " does not fit the file of " + table.size() + " bytes");
        }
        if (count > limits.maxEntries()) {
            throw new LimitExceededException(
                    NAME,
                    ExtractionException.NO_OFFSET,
                    "maxEntries",
                    limits.maxEntries(),
                    "the file has " + count + " sections");
        }
        heap.keep(count * HEADER_HEAP_BYTES, NAME, header.shoff());
    }

    private List<SectionHeader> named(List<SectionHeader> unnamed, int namesIndex) throws ExtractionException {
        Section names = namesIndex == 0
                ? Section.absent(".shstrtab", table.byteOrder())
                : unnamed.get(namesIndex).bytesIn(table, ".shstrtab");
        List<SectionHeader> named = new ArrayList<>(unnamed.size());
        long characters = 0;
        for (SectionHeader each : unnamed) {
            Deadline.checkCurrent(named.size());
            String name = names.isEmpty() ? "" : names.string(each.nameOffset(), limits.maxNameBytes());
            characters += name.length();
            if (characters > limits.maxTextChars()) {
                // All headers can name the same long string.
                throw new LimitExceededException(
                        names.name(),
                        each.nameOffset(),
                        "maxTextChars",
                        limits.maxTextChars(),
                        "section names come to " + characters + " characters");
            }
            heap.keep(CHARACTER_HEAP_BYTES * name.length(), names.name(), each.nameOffset());
            SectionHeader section = each.named(name);
            if (section.isInFile()) {
                // Refuses a truncated file now, not when a section of the missing part is first needed.
                section.bytesIn(table);
            }
            named.add(section);
        }
        return List.copyOf(named);
    }

    private SectionHeader read(int index) throws MalformedInputException {
        return SectionHeader.read(
                table.cursor(header.shoff() + (long) index * header.sectionHeaderBytes(), header.sectionHeaderBytes()),
                header.word());
    }

    private static MalformedInputException malformed(String problem) {
        return new MalformedInputException(ElfHeader.NAME, ExtractionException.NO_OFFSET, problem);
    }
}
