package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.symbols.Symbol;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Function descriptors of PowerPC 64, ELFv1 (64-bit PowerPC ELF ABI 1.9, §3.2.5): the symbol of a function is that of a
 * descriptor in {@code .opd}, whose first doubleword is the address of the code. ELFv2 has no such section. In a relocatable
 * file, and in one whose linker left the doublewords to the dynamic linker, relocations have the addresses. A file without
 * section headers has its descriptors in segments that are not code.
 */
final class FunctionDescriptors {

    private static final String PPC64 = "ppc64";

    private static final int R_PPC64_RELATIVE = 22;
    private static final int R_PPC64_ADDR64 = 38;

    private static final int RELOCATION_BYTES = 24;
    private static final int SYMBOL_BYTES = 24;

    /** Heap of a relocation that is kept. */
    private static final int BYTES_PER_CODE = 128;

    /** Section of code that only its address tells. */
    static final int BY_ADDRESS = -1;

    /**
     * Place of a function's code.
     *
     * @param section index of the section that {@code value} counts from in a relocatable file, else {@link #BY_ADDRESS}
     */
    record Code(long value, int section) {}

    /** @param relocated code by the place of the descriptor */
    private record Table(long start, long size, Section contents, Map<Long, Code> relocated) {

        boolean holds(long place) {
            return Long.compareUnsigned(place - start, size) < 0;
        }

        /** Returns the first doubleword of a descriptor; 0 if the file does not have it. */
        long word(long place) throws ExtractionException {
            long at = place - start;
            return at < 0 || at > contents.size() - Long.BYTES
                    ? 0
                    : contents.cursor(at, Long.BYTES).u64();
        }
    }

    private final boolean relocatable;

    /** In a relocatable file by the index of the section, else by the address: files may have thousands. */
    private final NavigableMap<Long, Table> tables = new TreeMap<>(Long::compareUnsigned);

    private FunctionDescriptors(boolean relocatable) {
        this.relocatable = relocatable;
    }

    /** Returns the descriptors of a file; none if its machine has none. */
    static FunctionDescriptors of(ElfFile elf, HeapBudget heap) throws ExtractionException {
        FunctionDescriptors found = new FunctionDescriptors(elf.isRelocatable());
        if (!elf.architecture().machine().equals(PPC64)) {
            return found;
        }
        for (int i = 0; i < elf.sections().size(); i++) {
            SectionHeader header = elf.sections().get(i);
            if (header.name().equals(Symbol.DESCRIPTORS) && header.isLoaded()) {
                found.tables.putIfAbsent(
                        elf.isRelocatable() ? i : header.address(),
                        new Table(header.address(), header.size(), elf.rawContents(header), new HashMap<>()));
            }
        }
        if (elf.sections().isEmpty()) {
            found.addSegments(elf);
        }
        for (SectionHeader header : found.tables.isEmpty() ? List.<SectionHeader>of() : elf.knownSections()) {
            if (header.type() == SectionHeader.SHT_RELA) {
                found.readRelocationsIfReadable(elf, header, heap);
            }
        }
        return found;
    }

    private void addSegments(ElfFile elf) throws ExtractionException {
        for (ProgramHeaders.Segment segment : elf.programHeaders().loaded()) {
            if (!segment.isCode()) {
                Section contents = segment.isIn(elf.file())
                        ? segment.bytesIn(elf.file(), Symbol.DESCRIPTORS, 0)
                        : Section.absent(Symbol.DESCRIPTORS, elf.byteOrder());
                tables.put(
                        segment.address(),
                        new Table(segment.address(), segment.memorySize(), contents, new HashMap<>()));
            }
        }
    }

    private void readRelocationsIfReadable(ElfFile elf, SectionHeader header, HeapBudget heap)
            throws ExtractionException {
        try {
            readRelocations(elf, header, heap);
        } catch (MalformedInputException e) {
            // The functions keep the places of their descriptors, which are told apart from those of code.
        }
    }

    private void readRelocations(ElfFile elf, SectionHeader header, HeapBudget heap) throws ExtractionException {
        Table target = relocatable ? table((int) header.info(), 0) : null;
        if (relocatable && target == null) {
            return;
        }
        Section relocations = elf.rawContents(header);
        Section symbols = relocatable && header.link() < elf.sections().size()
                ? elf.rawContents(elf.sections().get((int) header.link()))
                : Section.absent(".symtab", elf.byteOrder());
        ByteCursor in = relocations.cursor(0, relocations.size() / RELOCATION_BYTES * RELOCATION_BYTES);
        while (in.hasRemaining()) {
            Deadline.checkCurrent(in.offset() / RELOCATION_BYTES);
            long place = in.u64();
            long info = in.u64();
            long addend = in.u64();
            Table table = relocatable ? target : table(BY_ADDRESS, place);
            Code code = table == null || table.word(place) != 0 ? null : code(info, addend, symbols);
            if (table != null && code != null) {
                heap.keep(BYTES_PER_CODE, header.name(), place);
                table.relocated.put(place, code);
            }
        }
    }

    /** Returns the code that a relocation leads to, or null if it does not lead to code of this file. */
    private @Nullable Code code(long info, long addend, Section symbols) throws ExtractionException {
        int type = (int) info;
        if (!relocatable) {
            return type == R_PPC64_RELATIVE ? new Code(addend, BY_ADDRESS) : null;
        }
        long at = (info >>> 32) * SYMBOL_BYTES;
        if (type != R_PPC64_ADDR64 || at > symbols.size() - SYMBOL_BYTES) {
            return null;
        }
        ByteCursor symbol = symbols.cursor(at, SYMBOL_BYTES);
        symbol.skip(6);
        int section = symbol.u16();
        return section == 0 ? null : new Code(symbol.u64() + addend, section);
    }

    private @Nullable Table table(int section, long place) {
        if (relocatable) {
            return tables.get((long) section);
        }
        Map.Entry<Long, Table> entry = tables.floorEntry(place);
        return entry == null || !entry.getValue().holds(place) ? null : entry.getValue();
    }

    /** Returns whether the value of a function's symbol is the place of a descriptor. */
    boolean holds(int section, long value) {
        return table(section, value) != null;
    }

    /**
     * Returns the code that a descriptor leads to. Empty if it is not in the file, as in a debug file, whose program has it.
     *
     * @param section index of the symbol's section
     */
    Optional<Code> code(int section, long descriptor) throws ExtractionException {
        Table table = table(section, descriptor);
        if (table == null) {
            return Optional.empty();
        }
        long word = table.word(descriptor);
        return word != 0
                ? Optional.of(new Code(word, BY_ADDRESS))
                : Optional.ofNullable(table.relocated.get(descriptor));
    }
}
