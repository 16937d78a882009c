package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.symbols.TlsRelocation;
import dev.offsetd.extractor.symbols.TlsRelocation.Kind;
import dev.offsetd.extractor.symbols.TlsSegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the dynamic relocations of thread-local variables by the dynamic section, as the dynamic linker does. They name the
 * variable by a dynamic symbol, or by its offset in the block if no other file may see it. Tables with addends of 64-bit
 * files are read: x86-64, AArch64, PowerPC 64, s390x, RISC-V and LoongArch.
 */
public final class TlsReader {

    private static final long DT_PLTRELSZ = 2;
    private static final long DT_SYMTAB = 6;
    private static final long DT_RELA = 7;
    private static final long DT_RELASZ = 8;
    private static final long DT_PLTREL = 20;
    private static final long DT_JMPREL = 23;
    private static final long DT_FLAGS_1 = 0x6ffffffbL;
    private static final long DF_1_PIE = 0x08000000;

    private static final int RELA_BYTES = 24;
    private static final int SYMBOL_BYTES = 24;
    private static final int SHN_UNDEF = 0;

    /** Most relocations of thread-local variables, imported ones included; libraries have up to some hundred. */
    private static final int MAX_RELOCATIONS = 4096;

    /** Longest note that {@link #parts} includes. */
    private static final int MAX_NOTE_BYTES = 64 << 10;

    /** The types of each kind by processor, {@code e_machine}: {@code R_X86_64_DTPMOD64} and so on. */
    private static final Map<Integer, Types> TYPES = Map.of(
            62, new Types(16, 17, 18, 36),
            183, new Types(1028, 1029, 1030, 1031),
            243, new Types(7, 9, 11, 12),
            258, new Types(7, 9, 11, 14),
            21, new Types(68, 78, 73, Types.NONE),
            22, new Types(54, 55, 56, Types.NONE));

    private final ElfFile elf;
    private final ProgramHeaders segments;
    private final DynamicSection dynamic;
    private final @Nullable Types types;

    private TlsReader(ElfFile elf) throws MalformedInputException {
        this.elf = elf;
        this.segments = elf.programHeaders();
        this.dynamic = DynamicSection.read(elf.architecture().addressBytes(), elf.file(), segments);
        this.types = elf.architecture().bits() == Long.SIZE ? TYPES.get(elf.machine()) : null;
    }

    /** Relocation types of a processor, one of each kind. */
    private record Types(long module, long blockOffset, long threadPointerOffset, long descriptor) {

        /** The processor has no relocations of the kind. */
        static final long NONE = -1;

        @Nullable
        Kind kind(long type) {
            if (type == module) {
                return Kind.MODULE;
            }
            if (type == blockOffset) {
                return Kind.BLOCK_OFFSET;
            }
            if (type == threadPointerOffset) {
                return Kind.THREAD_POINTER_OFFSET;
            }
            return type == descriptor ? Kind.DESCRIPTOR : null;
        }
    }

    /**
     * Returns the ways to the thread-local variables of a file. Empty if it has none, is a separate debug file or a relocatable one,
     * or if its relocations are in a format that is not read.
     *
     * @throws MalformedInputException if a table lies outside the file
     * @throws LimitExceededException if there are too many relocations
     */
    public static Optional<TlsAccess> read(ElfFile elf) throws MalformedInputException, LimitExceededException {
        Optional<TlsSegment> segment = elf.programHeaders().tlsSegment();
        if (segment.isEmpty() || elf.isRelocatable() || elf.isDebugFile() || !elf.isWhole()) {
            return Optional.empty();
        }
        TlsReader reader = new TlsReader(elf);
        boolean program = elf.type() == ElfHeader.ET_EXEC || (reader.dynamic.value(DT_FLAGS_1) & DF_1_PIE) != 0;
        if (reader.types == null && !program) {
            return Optional.empty();
        }
        return Optional.of(new TlsAccess(elf.architecture().machine(), segment.get(), program, reader.relocations()));
    }

    /**
     * Returns the parts of a program that {@link #read} and the build-id need, as far as the parts that are there lead to others, for
     * callers that fetch a file piece by piece.
     *
     * @throws MalformedInputException if a table lies outside the file
     * @throws LimitExceededException if there are too many relocations
     */
    public static List<SectionHeader> parts(ElfFile elf) throws MalformedInputException, LimitExceededException {
        List<SectionHeader> parts = new ArrayList<>();
        SegmentSections.notes(elf.programHeaders()).stream()
                .filter(note -> note.size() <= MAX_NOTE_BYTES)
                .forEach(parts::add);
        if (elf.programHeaders().tlsSegment().isPresent()) {
            new TlsReader(elf).addParts(parts);
        }
        return List.copyOf(parts);
    }

    private void addParts(List<SectionHeader> parts) throws MalformedInputException, LimitExceededException {
        ProgramHeaders.Segment linking = dynamic.segment();
        if (linking != null) {
            parts.add(part(linking.offset(), linking.fileSize()));
        }
        for (Section table : tables()) {
            parts.add(part(offsetInFile(table), table.size()));
        }
        Set<Long> symbols = new HashSet<>();
        for (Entry entry : entries()) {
            if (entry.symbol() != 0) {
                symbols.add(entry.symbol());
            }
        }
        for (long symbol : symbols) {
            segments.offsetOf(addressOf(symbol), SYMBOL_BYTES)
                    .ifPresent(offset -> parts.add(part(offset, SYMBOL_BYTES)));
        }
    }

    private long offsetInFile(Section part) {
        return part.bytes().address() - elf.file().bytes().address();
    }

    private static SectionHeader part(long offset, long size) {
        return new SectionHeader("part", 0, SectionHeader.SHT_PROGBITS, 0, 0, offset, size, 0, 0, 1, 0);
    }

    /** Entry of a table that is of a thread-local variable. */
    private record Entry(Kind kind, long address, long symbol, long addend) {}

    private List<TlsRelocation> relocations() throws MalformedInputException, LimitExceededException {
        Map<Long, TlsRelocation> found = new TreeMap<>(Long::compareUnsigned);
        for (Entry entry : entries()) {
            OptionalLong start = entry.symbol() == 0 ? OptionalLong.of(0) : valueOf(entry.symbol());
            if (start.isPresent()) {
                found.putIfAbsent(
                        entry.address(),
                        new TlsRelocation(entry.kind(), entry.address(), start.getAsLong() + entry.addend()));
            }
        }
        return List.copyOf(found.values());
    }

    private List<Entry> entries() throws MalformedInputException, LimitExceededException {
        Types known = types;
        if (known == null) {
            return List.of();
        }
        List<Entry> found = new ArrayList<>();
        for (Section table : tables()) {
            ByteCursor in = table.cursor();
            for (long at = 0; at + RELA_BYTES <= table.size(); at += RELA_BYTES) {
                Deadline.checkCurrent(at / RELA_BYTES);
                long address = in.u64();
                long info = in.u64();
                long addend = in.u64();
                Kind kind = known.kind(info & 0xffff_ffffL);
                if (kind != null && found.size() == MAX_RELOCATIONS) {
                    throw new LimitExceededException(
                            table.name(),
                            at,
                            "tlsRelocations",
                            MAX_RELOCATIONS,
                            "there are more of thread-local variables");
                }
                if (kind != null) {
                    found.add(new Entry(kind, address, info >>> Integer.SIZE, addend));
                }
            }
        }
        return found;
    }

    /** Returns the tables of relocations; descriptors may be among those of functions, which are resolved when they are called. */
    private List<Section> tables() throws MalformedInputException {
        List<Section> tables = new ArrayList<>();
        addTable(dynamic.value(DT_RELA), dynamic.value(DT_RELASZ), tables);
        if (dynamic.value(DT_PLTREL) == DT_RELA) {
            addTable(dynamic.value(DT_JMPREL), dynamic.value(DT_PLTRELSZ), tables);
        }
        return tables;
    }

    private void addTable(long address, long size, List<Section> tables) throws MalformedInputException {
        OptionalLong offset = segments.offsetOf(address, size);
        if (offset.isPresent() && types != null) {
            tables.add(new Section(
                    "dynamic relocations",
                    elf.file().bytes().asSlice(offset.getAsLong(), size),
                    elf.file().byteOrder()));
        }
    }

    private long addressOf(long symbol) {
        return dynamic.value(DT_SYMTAB) + symbol * SYMBOL_BYTES;
    }

    /** {@code st_value} of a dynamic symbol; empty if another file defines it. */
    private OptionalLong valueOf(long symbol) throws MalformedInputException {
        OptionalLong offset = segments.offsetOf(addressOf(symbol), SYMBOL_BYTES);
        if (offset.isEmpty()) {
            return OptionalLong.empty();
        }
        ByteCursor in = elf.file().cursor(offset.getAsLong(), SYMBOL_BYTES);
        in.skip(6);
        int section = in.u16();
        long value = in.u64();
        return section == SHN_UNDEF ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
