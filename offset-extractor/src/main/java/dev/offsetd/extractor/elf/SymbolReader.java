package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.omission.OmissionLog;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVersion;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the symbol tables of a file (gABI, "Symbol Table"): {@code .symtab}, {@code .dynsym}, {@code .gnu_debugdata}. */
public final class SymbolReader {

    private static final int SHN_ABS = 0xfff1;
    private static final int SHN_COMMON = 0xfff2;

    /** How many symbols are read between two looks at the clock. */
    private static final int STEP_SYMBOLS = 1 << 16;

    private final ElfFile elf;
    private final FunctionDescriptors descriptors;
    private final SymbolBudget budget;
    private final Deadline deadline;
    private final OmissionLog omissions;
    private final boolean wide;
    private final int entryBytes;
    private final List<SymbolSection> sections = new ArrayList<>();
    private final Map<Integer, SymbolSection> reserved = new HashMap<>();
    private final Map<SymbolSection, SymbolSection> unnamed = new HashMap<>();

    /** @param descriptors of the file, which the one in {@code .gnu_debugdata} has no contents of */
    private SymbolReader(
            ElfFile elf,
            FunctionDescriptors descriptors,
            SymbolBudget budget,
            Deadline deadline,
            OmissionLog omissions) {
        this.elf = elf;
        this.descriptors = descriptors;
        this.budget = budget;
        this.deadline = deadline;
        this.omissions = omissions;
        wide = elf.architecture().bits() == 64;
        entryBytes = wide ? 24 : 16;
        for (SectionHeader header : elf.knownSections()) {
            sections.add(new SymbolSection(
                    SymbolSection.Kind.IN_SECTION,
                    sections.size(),
                    header.name(),
                    header.isLoaded() ? header.address() + header.size() : 0));
        }
    }

    /**
     * Returns the tables that the file has with contents, in this order; none of a program that was stripped of all,
     * or of a debug file without them. Entry 0, which is reserved, is left out.
     *
     * @param heap counts what is kept of them
     * @param omissions receives the tables and names that cannot be read
     */
    public static List<List<Symbol>> read(
            ElfFile elf, Limits limits, HeapBudget heap, Deadline deadline, OmissionLog omissions)
            throws ExtractionException {
        SymbolBudget budget = new SymbolBudget(limits, heap);
        FunctionDescriptors descriptors = FunctionDescriptors.of(elf, heap);
        SymbolReader reader = new SymbolReader(elf, descriptors, budget, deadline, omissions);
        List<List<Symbol>> tables = new ArrayList<>();
        for (SymbolSource.Table source : SymbolSource.Table.values()) {
            try {
                reader.table(source).ifPresent(tables::add);
            } catch (ExtractionException e) {
                leaveOut(source, e, omissions);
            }
        }
        return tables;
    }

    /** Notes a table that cannot be read. */
    public static void leaveOut(SymbolSource.Table table, ExtractionException fault, OmissionLog omissions)
            throws LimitExceededException {
        omissions.omit(Part.SYMBOL_TABLE, address(table), fault);
    }

    /** Returns the address of a table among the omissions. */
    private static int address(SymbolSource.Table table) {
        return List.of(SymbolSource.Table.values()).indexOf(table);
    }

    private Optional<List<Symbol>> table(SymbolSource.Table source) throws ExtractionException {
        return switch (source) {
            case SYMTAB -> table(SectionHeader.SHT_SYMTAB, source);
            case DYNSYM -> table(SectionHeader.SHT_DYNSYM, source);
            case GNU_DEBUGDATA -> inMiniDebugInfo();
            case GOPCLNTAB -> Optional.empty();
        };
    }

    private Optional<List<Symbol>> inMiniDebugInfo() throws ExtractionException {
        Optional<ElfFile> inner = MiniDebugInfo.in(elf, budget, deadline);
        if (inner.isEmpty()) {
            return Optional.empty();
        }
        try {
            return new SymbolReader(inner.get(), descriptors, budget, deadline, omissions)
                    .table(SectionHeader.SHT_SYMTAB, SymbolSource.Table.GNU_DEBUGDATA);
        } catch (MalformedInputException e) {
            throw MiniDebugInfo.broken(e);
        }
    }

    private Optional<List<Symbol>> table(int type, SymbolSource.Table source) throws ExtractionException {
        int index = only(type, -1);
        if (index < 0) {
            return Optional.empty();
        }
        SectionHeader header = elf.knownSections().get(index);
        Section table = elf.rawContents(header);
        if (table.isEmpty()) {
            return Optional.empty();
        }
        if (header.entryBytes() != entryBytes || table.size() % entryBytes != 0) {
            throw new MalformedInputException(
                    table.name(),
                    ExtractionException.NO_OFFSET,
                    "sh_entsize is " + Long.toUnsignedString(header.entryBytes()) + " and sh_size " + table.size()
                            + "; expected " + entryBytes + " and a multiple of it");
        }
        budget.addSymbols(table.name(), table.size() / entryBytes);
        return Optional.of(entries(index, table, (int) (table.size() / entryBytes), source));
    }

    private List<Symbol> entries(int index, Section table, int count, SymbolSource.Table source)
            throws ExtractionException {
        boolean dynamic = source == SymbolSource.Table.DYNSYM;
        Section extendedIndexes = linkedTo(index, SectionHeader.SHT_SYMTAB_SHNDX, ".symtab_shndx");
        SymbolVersions versions = dynamic ? versions(index) : null;
        List<SymbolSource> sources = List.of(new SymbolSource(source, false));
        SymbolName[] names = names(table, count, stringsOf(elf.knownSections().get(index)), source);
        List<Symbol> symbols = new ArrayList<>(count);
        for (int i = 1; i < count; i++) {
            if (i % STEP_SYMBOLS == 0) {
                deadline.check(table.name());
            }
            symbols.add(symbol(table, i, names[i], extendedIndexes, versions, sources));
        }
        return symbols;
    }

    /**
     * Returns the names of the symbols; one object for all that have the same place in the string table. A name that is not in
     * the table is {@link SymbolName#NONE}.
     */
    private SymbolName[] names(Section table, int count, Section strings, SymbolSource.Table source)
            throws ExtractionException {
        long[] places = new long[count];
        ByteCursor in = table.cursor();
        for (int i = 0; i < count; i++) {
            places[i] = in.u32() << 32 | i;
            in.skip(entryBytes - 4);
        }
        Arrays.sort(places);
        SymbolName[] names = new SymbolName[count];
        long offset = -1;
        SymbolName name = SymbolName.NONE;
        boolean ends = true;
        for (int i = 0; i < count; i++) {
            if (i % STEP_SYMBOLS == 0) {
                deadline.check(strings.name());
            }
            if (places[i] >>> 32 != offset) {
                offset = places[i] >>> 32;
                try {
                    name = ends ? nameAt(strings, offset) : SymbolName.NONE;
                } catch (MalformedInputException e) {
                    // The other symbols have their names. Behind a name that does not end in the table, none does.
                    ends = false;
                    boolean isInside = source == SymbolSource.Table.GNU_DEBUGDATA;
                    omissions.omit(Part.SYMBOL, address(source), count - i, isInside ? MiniDebugInfo.broken(e) : e);
                    name = SymbolName.NONE;
                }
            }
            names[(int) places[i]] = name;
        }
        return names;
    }

    private SymbolName nameAt(Section strings, long offset) throws ExtractionException {
        // Offset 0 means "no name" even where there is no string table.
        return offset == 0 ? SymbolName.NONE : SymbolName.of(text(strings, offset));
    }

    private String text(Section strings, long offset) throws ExtractionException {
        int maxNameBytes = budget.limits().maxNameBytes();
        if (offset < strings.size()) {
            budget.addName(strings.name(), offset, strings.stringLength(offset, maxNameBytes) + 1);
        }
        return strings.string(offset, maxNameBytes);
    }

    /** @param versions of a dynamic symbol table; null for the others, where they are part of the names */
    private Symbol symbol(
            Section table,
            int index,
            SymbolName named,
            Section extendedIndexes,
            @Nullable SymbolVersions versions,
            List<SymbolSource> sources)
            throws ExtractionException {
        ByteCursor in = table.cursor((long) index * entryBytes, entryBytes);
        in.skip(4);
        long value = wide ? 0 : in.u32();
        long size = wide ? 0 : in.u32();
        int info = in.u8();
        int other = in.u8();
        int sectionIndex = in.u16();
        if (wide) {
            value = in.u64();
            size = in.u64();
        }
        SymbolType type = type(info & 0xf);
        SymbolSection section = section(index, sectionIndex, value, extendedIndexes);
        boolean mayHaveVersion = type != SymbolType.FILE && type != SymbolType.SECTION;
        String name = named.whole();
        SymbolVersion version = null;
        if (versions != null) {
            version = versions.of(index);
        } else if (mayHaveVersion) {
            name = named.name();
            version = named.version();
        }
        if (version != null && section.kind() == SymbolSection.Kind.UNDEFINED) {
            version = version.ofImport();
        }
        if (version != null && section.kind() == SymbolSection.Kind.ABSOLUTE && name.equals(version.name())) {
            // Linkers define a symbol for each version, which has not that version but stands for it.
            version = null;
        }
        if (name.isEmpty() && type == SymbolType.SECTION && section.kind() == SymbolSection.Kind.IN_SECTION) {
            name = section.name();
        }
        Symbol symbol = new Symbol(
                name, version, value, size, type, binding(info >> 4), visibility(other & 3), section, sources);
        boolean described = type.isFunction()
                && section.kind() == SymbolSection.Kind.IN_SECTION
                && descriptors.holds(section.index(), value);
        return described ? withCode(symbol.withDescriptor(value, section, value)) : symbol;
    }

    /** Returns a function with the place of its code, if the file has its descriptor. */
    private Symbol withCode(Symbol function) throws ExtractionException {
        Optional<FunctionDescriptors.Code> code =
                descriptors.code(function.section().index(), function.value());
        SymbolSection section = code.isPresent() ? sectionOf(code.get()) : null;
        return section == null ? function : function.withDescriptor(code.get().value(), section, function.value());
    }

    /** Returns the section of a function's code, or null if it is in none. */
    private @Nullable SymbolSection sectionOf(FunctionDescriptors.Code code) throws MalformedInputException {
        if (code.section() != FunctionDescriptors.BY_ADDRESS) {
            return code.section() < sections.size() ? sections.get(code.section()) : null;
        }
        if (!elf.sections().isEmpty()) {
            int index = elf.sectionAt(code.value());
            return index < 0 ? null : sections.get(index);
        }
        Optional<ProgramHeaders.Segment> segment = elf.programHeaders().holding(code.value());
        return segment.isPresent() && segment.get().isCode() ? unnamed(0, code.value()) : null;
    }

    /**
     * Returns the symbols of the debug file of a program, with the code of functions whose descriptors only the program
     * has.
     */
    public static List<List<Symbol>> withCode(
            ElfFile program, List<List<Symbol>> tables, Limits limits, HeapBudget heap, Deadline deadline)
            throws ExtractionException {
        FunctionDescriptors descriptors = FunctionDescriptors.of(program, heap);
        SymbolReader reader =
                new SymbolReader(program, descriptors, new SymbolBudget(limits, heap), deadline, new OmissionLog(heap));
        List<List<Symbol>> found = new ArrayList<>();
        for (List<Symbol> table : tables) {
            List<Symbol> symbols = new ArrayList<>(table.size());
            for (Symbol symbol : table) {
                symbols.add(symbol.isDescriptorOnly() ? reader.withCode(symbol) : symbol);
            }
            found.add(symbols);
        }
        return found;
    }

    /** Returns the section that is loaded at an address; in a file without section headers, the segment. */
    public static SymbolSection sectionAt(ElfFile elf, long address) throws MalformedInputException {
        int index = elf.sectionAt(address);
        if (index >= 0) {
            SectionHeader header = elf.sections().get(index);
            return new SymbolSection(
                    SymbolSection.Kind.IN_SECTION, index, header.name(), header.address() + header.size());
        }
        Optional<ProgramHeaders.Segment> segment = elf.programHeaders().holding(address);
        return new SymbolSection(
                SymbolSection.Kind.IN_SECTION,
                0,
                SymbolSection.UNKNOWN_NAME,
                segment.map(found -> found.address() + found.memorySize()).orElse(0L));
    }

    /** @param value of the symbol */
    private SymbolSection section(int symbol, int sectionIndex, long value, Section extendedIndexes)
            throws ExtractionException {
        long index = sectionIndex;
        if (sectionIndex == SectionHeaders.SHN_XINDEX) {
            if (extendedIndexes.size() < 4L * (symbol + 1L)) {
                return reserved.computeIfAbsent(
                        SectionHeaders.SHN_XINDEX, lost -> other(lost, SymbolSection.UNKNOWN_NAME));
            }
            index = extendedIndexes.cursor(4L * symbol, 4).u32();
        } else if (sectionIndex >= SectionHeaders.SHN_LORESERVE) {
            return switch (sectionIndex) {
                case SHN_ABS -> SymbolSection.ABSOLUTE;
                case SHN_COMMON -> SymbolSection.COMMON;
                default -> reserved.computeIfAbsent(sectionIndex, SymbolReader::reserved);
            };
        }
        if (index == 0) {
            return SymbolSection.UNDEFINED;
        }
        if (elf.sections().isEmpty()) {
            return unnamed(index, value);
        }
        // Strip leaves symbols of sections that it removes. The dynamic linker does not look at their section.
        return index < sections.size()
                ? sections.get((int) index)
                : reserved.computeIfAbsent(
                        (int) Math.min(index, SectionHeaders.SHN_XINDEX),
                        stale -> other(stale, SymbolSection.UNKNOWN_NAME));
    }

    /** Returns the section of a symbol in a file without section headers: the segment that holds the symbol. */
    private SymbolSection unnamed(long index, long value) throws MalformedInputException {
        Optional<ProgramHeaders.Segment> segment = elf.programHeaders().holding(value);
        SymbolSection section = segment.isEmpty()
                ? other((int) index, SymbolSection.UNKNOWN_NAME)
                : new SymbolSection(
                        SymbolSection.Kind.IN_SECTION,
                        (int) index,
                        SymbolSection.UNKNOWN_NAME,
                        segment.get().address() + segment.get().memorySize());
        return unnamed.computeIfAbsent(section, same -> same);
    }

    private static SymbolSection reserved(int index) {
        return other(index, "0x" + Integer.toHexString(index));
    }

    private static SymbolSection other(int index, String name) {
        return new SymbolSection(SymbolSection.Kind.OTHER, index, name, 0);
    }

    private static SymbolType type(int code) {
        return switch (code) {
            case 0 -> SymbolType.NOTYPE;
            case 1 -> SymbolType.OBJECT;
            case 2 -> SymbolType.FUNC;
            case 3 -> SymbolType.SECTION;
            case 4 -> SymbolType.FILE;
            case 5 -> SymbolType.COMMON;
            case 6 -> SymbolType.TLS;
            case 10 -> SymbolType.GNU_IFUNC;
            default -> SymbolType.OTHER;
        };
    }

    private static SymbolVisibility visibility(int code) {
        return switch (code) {
            case 1 -> SymbolVisibility.INTERNAL;
            case 2 -> SymbolVisibility.HIDDEN;
            case 3 -> SymbolVisibility.PROTECTED;
            default -> SymbolVisibility.DEFAULT;
        };
    }

    private static SymbolBinding binding(int code) {
        return switch (code) {
            case 0 -> SymbolBinding.LOCAL;
            case 1 -> SymbolBinding.GLOBAL;
            case 2 -> SymbolBinding.WEAK;
            case 10 -> SymbolBinding.UNIQUE;
            default -> SymbolBinding.OTHER;
        };
    }

    private SymbolVersions versions(int dynamicTable) throws ExtractionException {
        SymbolVersions versions =
                new SymbolVersions(linkedTo(dynamicTable, SectionHeader.SHT_GNU_VERSYM, ".gnu.version"));
        try {
            readVersions(versions);
        } catch (MalformedInputException e) {
            // Symbols of the versions behind the fault have none; their names and addresses do not depend on it.
        }
        return versions;
    }

    private void readVersions(SymbolVersions versions) throws ExtractionException {
        int definitions = only(SectionHeader.SHT_GNU_VERDEF, -1);
        if (definitions >= 0) {
            SectionHeader header = elf.knownSections().get(definitions);
            Section strings = stringsOf(header);
            versions.readDefinitions(elf.rawContents(header), header.info(), offset -> text(strings, offset));
        }
        int dependencies = only(SectionHeader.SHT_GNU_VERNEED, -1);
        if (dependencies >= 0) {
            SectionHeader header = elf.knownSections().get(dependencies);
            Section strings = stringsOf(header);
            versions.readDependencies(elf.rawContents(header), header.info(), offset -> text(strings, offset));
        }
    }

    private Section stringsOf(SectionHeader header) throws ExtractionException {
        if (header.link() >= sections.size()) {
            throw new MalformedInputException(
                    header.name(),
                    ExtractionException.NO_OFFSET,
                    "sh_link is " + header.link() + ", the file has " + sections.size() + " sections");
        }
        return elf.rawContents(elf.knownSections().get((int) header.link()));
    }

    /** Returns the contents of the section of this type that belongs to a symbol table; empty if there is none. */
    private Section linkedTo(int table, int type, String usualName) throws ExtractionException {
        int index = only(type, table);
        return index < 0
                ? Section.absent(usualName, elf.byteOrder())
                : elf.rawContents(elf.knownSections().get(index));
    }

    /**
     * Returns the index of the section of this type that is in the file, -1 if none is; the gABI allows one of each
     * kind.
     *
     * @param link {@code sh_link} that it must have; any if negative
     */
    private int only(int type, int link) throws UnsupportedInputException {
        int found = -1;
        for (int i = 0; i < sections.size(); i++) {
            SectionHeader header = elf.knownSections().get(i);
            if (header.type() != type || (link >= 0 && header.link() != link)) {
                continue;
            }
            if (found >= 0) {
                throw new UnsupportedInputException(
                        header.name(),
                        ExtractionException.NO_OFFSET,
                        "sections " + found + " and " + i + " are both of type 0x" + Integer.toHexString(type)
                                + "; one is supported");
            }
            found = i;
        }
        return found;
    }

    /**
     * A name out of a string table.
     *
     * @param whole as it stands there
     * @param name without the version that linkers and assemblers write after it into {@code .symtab}:
     *     {@code name@version}, {@code name@@version} for the default one
     * @param version null if there is none
     */
    private record SymbolName(
            String whole, String name, @Nullable SymbolVersion version) {

        static final SymbolName NONE = new SymbolName("", "", null);

        static SymbolName of(String whole) {
            int at = whole.indexOf('@');
            boolean isDefault = at > 0 && whole.startsWith("@@", at);
            int version = at + (isDefault ? 2 : 1);
            return at <= 0 || version >= whole.length()
                    ? new SymbolName(whole, whole, null)
                    : new SymbolName(
                            whole, whole.substring(0, at), new SymbolVersion(whole.substring(version), isDefault));
        }
    }
}
