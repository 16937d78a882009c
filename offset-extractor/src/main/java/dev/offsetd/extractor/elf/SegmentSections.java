package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ProgramHeaders.Segment;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The sections of a program without usable section headers, as far as its program headers lead to them: notes, and by the
 * dynamic section what the dynamic linker needs (gABI, "Dynamic Section").
 */
final class SegmentSections {

    private static final long DT_HASH = 4;
    static final long DT_STRTAB = 5;
    private static final long DT_SYMTAB = 6;
    private static final long DT_RELA = 7;
    private static final long DT_RELASZ = 8;
    private static final long DT_STRSZ = 10;
    private static final long DT_ANDROID_RELA = 0x60000011L;
    private static final long DT_ANDROID_RELASZ = 0x60000012L;
    private static final long DT_GNU_HASH = 0x6ffffef5L;
    private static final long DT_VERSYM = 0x6ffffff0L;
    private static final long DT_VERDEF = 0x6ffffffcL;
    private static final long DT_VERDEFNUM = 0x6ffffffdL;
    private static final long DT_VERNEED = 0x6ffffffeL;
    private static final long DT_VERNEEDNUM = 0x6fffffffL;

    private static final int EM_S390 = 22;
    private static final int EM_ALPHA = 0x9026;

    /** Index of the table of strings below, to which the others are linked. */
    private static final int STRINGS = 1;

    private static final int SYMBOLS = 2;

    private final ElfHeader header;
    private final ProgramHeaders segments;
    private final DynamicSection dynamic;

    private SegmentSections(ElfHeader header, Section file, ProgramHeaders segments) throws MalformedInputException {
        this.header = header;
        this.segments = segments;
        this.dynamic = DynamicSection.read(header.word(), file, segments);
    }

    /**
     * Returns the note segments.
     *
     * @throws MalformedInputException if one lies outside the file
     */
    static List<SectionHeader> notes(ProgramHeaders segments) throws MalformedInputException {
        List<ProgramHeaders.Segment> notes = segments.ofType(ProgramHeaders.PT_NOTE);
        for (ProgramHeaders.Segment note : notes) {
            note.bytesIn(segments.file(), "note segment", 0);
        }
        return notes.stream()
                .map(note -> new SectionHeader(
                        "note segment",
                        0,
                        SectionHeader.SHT_NOTE,
                        SectionHeader.SHF_ALLOC,
                        note.address(),
                        note.offset(),
                        note.fileSize(),
                        0,
                        0,
                        note.align(),
                        0))
                .toList();
    }

    /**
     * Returns the sections in the order of a section header table, with its reserved entry. A part that lies outside of what
     * is loaded is left out.
     */
    static List<SectionHeader> of(ElfHeader header, Section file, ProgramHeaders segments)
            throws MalformedInputException {
        return new SegmentSections(header, file, segments).read();
    }

    private List<SectionHeader> read() throws MalformedInputException {
        List<SectionHeader> sections = new ArrayList<>();
        sections.add(section("", SectionHeader.SHT_NULL, 0, 0, 0));
        int entry = header.isWide() ? 24 : 16;
        sections.add(
                section(".dynstr", SectionHeader.SHT_STRTAB, dynamic.value(DT_STRTAB), dynamic.value(DT_STRSZ), 0));
        sections.add(section(".dynsym", SectionHeader.SHT_DYNSYM, dynamic.value(DT_SYMTAB), symbols() * entry, 0)
                .linked(STRINGS, entry));
        sections.add(section(".gnu.version", SectionHeader.SHT_GNU_VERSYM, dynamic.value(DT_VERSYM), symbols() * 2, 0)
                .linked(SYMBOLS, 2));
        // The lists of versions have no size: each entry says where the next is.
        sections.add(rest(
                ".gnu.version_d", SectionHeader.SHT_GNU_VERDEF, dynamic.value(DT_VERDEF), dynamic.value(DT_VERDEFNUM)));
        sections.add(rest(
                ".gnu.version_r",
                SectionHeader.SHT_GNU_VERNEED,
                dynamic.value(DT_VERNEED),
                dynamic.value(DT_VERNEEDNUM)));
        sections.add(
                dynamic.has(DT_ANDROID_RELA)
                        ? section(
                                ".rela.dyn",
                                SectionHeader.SHT_RELA,
                                dynamic.value(DT_ANDROID_RELA),
                                dynamic.value(DT_ANDROID_RELASZ),
                                0)
                        : section(
                                ".rela.dyn",
                                SectionHeader.SHT_RELA,
                                dynamic.value(DT_RELA),
                                dynamic.value(DT_RELASZ),
                                0));
        Segment table = dynamic.segment();
        if (table != null) {
            sections.add(new SectionHeader(
                    ".dynamic",
                    0,
                    SectionHeader.SHT_DYNAMIC,
                    SectionHeader.SHF_ALLOC,
                    table.address(),
                    table.offset(),
                    table.fileSize(),
                    STRINGS,
                    0,
                    table.align(),
                    0));
        }
        sections.addAll(notes(segments));
        return List.copyOf(sections);
    }

    /** Returns the number of dynamic symbols, which only the hash tables state; 0 if it is not known. */
    private long symbols() throws MalformedInputException {
        if (dynamic.has(DT_HASH)) {
            // Alpha and the 64-bit s390 have entries of 64 bits.
            boolean wideEntries = header.isWide() && (header.machine() == EM_ALPHA || header.machine() == EM_S390);
            int word = wideEntries ? Long.BYTES : Integer.BYTES;
            Section table = segments.loadedAt(dynamic.value(DT_HASH));
            return table.size() < 2L * word ? 0 : table.cursor(word, word).unsigned(word);
        }
        return dynamic.has(DT_GNU_HASH) ? symbolsOfGnuHash(segments.loadedAt(dynamic.value(DT_GNU_HASH))) : 0;
    }

    /**
     * Returns the number of symbols by a {@code DT_GNU_HASH} table: a header of four words, a Bloom filter, the first symbol of
     * each bucket, and a word for each symbol, whose lowest bit ends the symbols of a bucket.
     */
    private long symbolsOfGnuHash(Section table) throws MalformedInputException {
        if (table.size() < 4 * Integer.BYTES) {
            return 0;
        }
        ByteCursor in = table.cursor();
        long buckets = in.u32();
        long firstHashed = in.u32();
        long filter = in.u32() * header.word();
        long bucketsStart = 4 * Integer.BYTES + filter;
        long chains = bucketsStart + Integer.BYTES * buckets;
        if (chains > table.size()) {
            return 0;
        }
        ByteCursor bucket = table.cursor(bucketsStart, Integer.BYTES * buckets);
        long last = 0;
        while (bucket.hasRemaining()) {
            last = Math.max(last, bucket.u32());
        }
        if (last < firstHashed) {
            return firstHashed;
        }
        long start = chains + Integer.BYTES * (last - firstHashed);
        if (start >= table.size()) {
            return 0;
        }
        ByteCursor chain = table.cursor(start, (table.size() - start) / Integer.BYTES * Integer.BYTES);
        while (chain.hasRemaining()) {
            last++;
            if ((chain.u32() & 1) != 0) {
                return last;
            }
        }
        return 0;
    }

    private SectionHeader rest(String name, int type, long address, long count) throws MalformedInputException {
        SectionHeader found =
                section(name, type, address, segments.loadedAt(address).size(), count);
        return found.linked(STRINGS, 0);
    }

    /** Returns what is loaded at an address as a section; an unused entry if it is not in the file. */
    private SectionHeader section(String name, int type, long address, long size, long info)
            throws MalformedInputException {
        OptionalLong offset = segments.offsetOf(address, size);
        return offset.isPresent()
                ? new SectionHeader(
                        name, 0, type, SectionHeader.SHF_ALLOC, address, offset.getAsLong(), size, 0, info, 1, 0)
                : new SectionHeader("", 0, SectionHeader.SHT_NULL, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
