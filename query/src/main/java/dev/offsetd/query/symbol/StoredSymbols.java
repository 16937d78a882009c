package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVersion;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.store.BlobInput;
import dev.offsetd.query.store.BlobReader;
import dev.offsetd.query.store.BlockTable;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredBlob;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Symbols that are read from their blob, block by block, as they are looked up; see {@link SymbolsFormat}. Any method may
 * throw {@link CorruptBlobException}.
 */
public final class StoredSymbols {

    /** The names of neighbouring addresses are anywhere; all blocks of a kernel, 8 MB, as long as there is heap for them. */
    private static final int KEPT_BLOCKS = 256;

    private final StoredBlob blob;
    private final ValueRule values;
    private final @Nullable TlsSegment tls;
    private final List<SymbolVersion> versions = new ArrayList<>();
    private final List<SymbolSection> sections = new ArrayList<>();
    private final List<List<SymbolSource>> sources = new ArrayList<>();
    private final List<ProgramHeader> programHeaders = new ArrayList<>();
    private final List<String> sourceFiles = new ArrayList<>();
    private final BlockTable.Directory names;
    private final BlockTable.Directory symbols;
    private final SymbolNames byName;
    private final SymbolAddresses byAddress;

    /**
     * Opens the blob: reads its header and directory.
     *
     * @throws CorruptBlobException if the blob has no symbols in a supported format
     */
    public StoredSymbols(BlobReader blob) {
        this(new StoredBlob(blob, SymbolsFormat.MAGIC, SymbolsFormat.FORMAT).keeping(KEPT_BLOCKS));
    }

    private StoredSymbols(StoredBlob blob) {
        this.blob = blob;
        BlobInput in = blob.directory();
        values = at(SymbolsFormat.VALUE_RULES, in.count());
        tls = in.count() == 0 ? null : tls(in);
        int versionCount = in.count();
        for (int i = 0; i < versionCount; i++) {
            versions.add(new SymbolVersion(in.string(), in.count() != 0));
        }
        int sectionCount = in.count();
        for (int i = 0; i < sectionCount; i++) {
            sections.add(new SymbolSection(
                    at(SymbolsFormat.SECTION_KINDS, in.count()), in.count(), in.string(), in.unsigned()));
        }
        int sourceCount = in.count();
        for (int i = 0; i < sourceCount; i++) {
            List<SymbolSource> found = new ArrayList<>();
            int count = in.count();
            for (int j = 0; j < count; j++) {
                found.add(new SymbolSource(at(SymbolsFormat.TABLES, in.count()), in.count() != 0));
            }
            sources.add(List.copyOf(found));
        }
        names = BlockTable.Directory.read(in);
        symbols = BlockTable.Directory.read(in);
        BlockTable.Directory places = BlockTable.Directory.read(in);
        long[] reaches = new long[places.blocks().size()];
        for (int i = 0; i < reaches.length; i++) {
            reaches[i] = in.unsigned();
        }
        byName = new SymbolNames(this, blob, names);
        byAddress = new SymbolAddresses(this, blob, places, reaches);
        int headerCount = in.remaining() == 0 ? 0 : in.count();
        if (headerCount > ProgramHeader.MOST) {
            throw new CorruptBlobException(headerCount + " program headers");
        }
        for (int i = 0; i < headerCount; i++) {
            programHeaders.add(programHeader(in));
        }
        int fileCount = in.remaining() == 0 ? 0 : in.count();
        for (int i = 0; i < fileCount; i++) {
            sourceFiles.add(in.string());
        }
    }

    /** Opens symbols in memory. */
    public static StoredSymbols of(byte[] blob) {
        return new StoredSymbols(StoredBlob.inMemory(blob));
    }

    /** Stores symbols in memory, where they can be looked up. */
    public static StoredSymbols of(SymbolTable symbols) {
        BlobReader blob = StoredBlob.inMemory(SymbolsWriter.encodeUnpacked(symbols));
        return new StoredSymbols(new StoredBlob(blob, SymbolsFormat.MAGIC, SymbolsFormat.FORMAT, false));
    }

    /** Returns the number of symbols. */
    public int count() {
        return symbols.entries();
    }

    /** Returns the most bytes that the names of so many symbols can take. */
    public long mostNameBytes(int symbols) {
        return names.mostBytes(symbols);
    }

    public ValueRule values() {
        return values;
    }

    /** Returns the thread-local storage of the file; empty if it has none. */
    public Optional<TlsSegment> tls() {
        return Optional.ofNullable(tls);
    }

    /** Returns the program header table of the file; empty if it has none, or an earlier extractor read it. */
    public List<ProgramHeader> programHeaders() {
        return List.copyOf(programHeaders);
    }

    /** Returns where the symbols are in the file of the program. */
    public FileOffsets fileOffsets() {
        return FileOffsets.of(programHeaders, values);
    }

    /** Returns the matching symbols sorted by name, those of one name in the order of the tables. */
    public List<Symbol> find(SymbolPattern pattern) {
        return find(pattern, false, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * Returns the matches of {@link #find}, followed by the parts that compilers split off functions of these names
     * ({@code name.cold}, {@code name.part.0}, {@code name.constprop.0.isra.0}).
     */
    public List<Symbol> findFamily(SymbolPattern pattern) {
        return find(pattern, true, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * Returns the first symbols of {@link #find(SymbolPattern)} or {@link #findFamily}.
     *
     * @param limit the most symbols to list
     * @param budget pays for the search; if it is exceeded, the result is useless
     */
    public Matches<Symbol> find(SymbolPattern pattern, boolean family, int limit, SearchBudget budget) {
        return byName.find(pattern, family, limit, budget);
    }

    /** Passes the symbols of each name to a consumer, sorted by name, those of one name in the order of the tables. */
    public void forEachName(Consumer<List<Symbol>> sink) {
        byName.forEachName(sink);
    }

    /**
     * Returns other names of the variables with this name, in the order of the tables: {@code _rtld_global} for
     * {@code _rtld_local}. Without versions, each once.
     *
     * @param budget pays for the search; if it is exceeded, the result is useless
     */
    public List<String> aliasesOf(String name, SearchBudget budget) {
        int named = byName.indexOf(name);
        Set<VariableLocation> places = new LinkedHashSet<>();
        for (int i = 0; named >= 0 && i < byName.symbolCount(named) && budget.takeOne(); i++) {
            Symbol symbol = byName.symbol(named, i);
            if (symbol.isVariable()) {
                places.add(VariableLocation.of(symbol, values));
            }
        }
        List<NumberedSymbol> aliases =
                values == ValueRule.SECTION_OFFSET ? inSections(places, budget) : at(places, budget);
        return aliases.stream()
                .sorted(Comparator.comparingInt(NumberedSymbol::inTable))
                .map(entry -> entry.symbol().name())
                .filter(other -> !other.equals(name))
                .distinct()
                .toList();
    }

    /**
     * Returns the variables at an address, in the order of the tables; none in a relocatable file.
     *
     * @param budget pays for the search; if it is exceeded, the result is useless
     */
    public List<Symbol> variablesAt(long address, SearchBudget budget) {
        return at(Set.of(new VariableLocation(0, address)), budget).stream()
                .sorted(Comparator.comparingInt(NumberedSymbol::inTable))
                .map(NumberedSymbol::symbol)
                .toList();
    }

    /**
     * Returns all variables at these locations. A relocatable file has no addresses to look up, so all symbols are visited.
     */
    private List<NumberedSymbol> inSections(Set<VariableLocation> places, SearchBudget budget) {
        List<NumberedSymbol> found = new ArrayList<>();
        for (int i = 0; !places.isEmpty() && i < symbols.entries() && budget.takeOne(); i++) {
            NumberedSymbol entry = entry(i);
            if (entry.symbol().isVariable() && places.contains(VariableLocation.of(entry.symbol(), values))) {
                found.add(entry);
            }
        }
        return found;
    }

    /**
     * Returns the thread-local variables of the file, sorted by name. All symbols are visited if it has thread-local storage.
     *
     * @param budget pays for the search; if it is exceeded, the result is useless
     */
    public List<Symbol> threadLocal(SearchBudget budget) {
        List<Symbol> found = new ArrayList<>();
        for (int i = 0; tls != null && i < symbols.entries() && budget.takeOne(); i++) {
            Symbol symbol = symbol(i);
            if (symbol.type() == SymbolType.TLS && !symbol.isImported()) {
                found.add(symbol);
            }
        }
        return found;
    }

    private List<NumberedSymbol> at(Set<VariableLocation> places, SearchBudget budget) {
        List<NumberedSymbol> found = new ArrayList<>();
        for (VariableLocation place : places) {
            int after = byAddress.firstAfter(place.value());
            for (int i = after - 1; i >= 0 && byAddress.start(i) == place.value() && budget.takeOne(); i--) {
                NumberedSymbol entry = entry(byAddress.number(i));
                if (entry.symbol().isVariable()) {
                    found.add(entry);
                }
            }
        }
        return found;
    }

    /**
     * Returns the symbols that contain an address, the preferred one first: global before weak before local, with a size
     * before without, shorter names first. Mapping, section and file symbols, thread-local variables and absolute values
     * contain no address, and neither does anything in a relocatable file.
     *
     * <ol>
     *   <li>A symbol with a size owns its bytes. If symbols are nested, the innermost answers with its aliases: all that
     *       start at its address and contain the requested one.
     *   <li>Symbols at the address itself answer too, whether they have a size or not.
     *   <li>If no symbol owns the address, the nearest ones before it without a size answer, up to the end of their
     *       section, unless a symbol with a size lies or ends between. Hand-written assembly often gives its functions no
     *       size, and what follows a known end belongs to no symbol.
     * </ol>
     *
     * @param address an ELF virtual address, unsigned; on 32-bit ARM without the Thumb bit
     */
    public List<SymbolAt> at(long address) {
        return at(address, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * Returns the first symbols of {@link #at(long)}.
     *
     * @param limit the most symbols to list
     * @param budget pays for the search; if it is exceeded, the result is useless
     */
    public Matches<SymbolAt> at(long address, int limit, SearchBudget budget) {
        return byAddress.at(address, limit, budget);
    }

    /**
     * Address of a variable.
     *
     * @param section the index of its section in a relocatable file, where values count from the start of a section; else 0
     */
    private record VariableLocation(int section, long value) implements Comparable<VariableLocation> {

        @Override
        public int compareTo(VariableLocation other) {
            int order = Integer.compare(section, other.section);
            return order != 0 ? order : Long.compare(value, other.value);
        }

        static VariableLocation of(Symbol symbol, ValueRule values) {
            return new VariableLocation(
                    values == ValueRule.SECTION_OFFSET ? symbol.section().index() : 0, symbol.value());
        }
    }

    /** A symbol with its position in the tables of the file. */
    private record NumberedSymbol(Symbol symbol, int inTable) {}

    /** Returns a symbol by its number among those sorted by name. */
    Symbol symbol(int number) {
        return entry(number).symbol();
    }

    private NumberedSymbol entry(int number) {
        BlobInput in = blob.entry(symbols, number);
        String name = byName.name(in.count());
        int version = in.count();
        long value = in.unsigned();
        long size = in.unsigned();
        SymbolType type = at(SymbolsFormat.TYPES, in.count());
        SymbolBinding binding = at(SymbolsFormat.BINDINGS, in.count());
        SymbolVisibility visibility = at(SymbolsFormat.VISIBILITIES, in.count());
        SymbolSection section = at(sections, in.count());
        List<SymbolSource> found = at(sources, in.count());
        int inTable = in.count();
        Long descriptor = in.remaining() > 0 ? in.unsigned() : null;
        GoFunction go = in.remaining() > 0 ? goFunction(in) : null;
        Symbol symbol = new Symbol(
                name,
                version == 0 ? null : at(versions, version - 1),
                value,
                size,
                type,
                binding,
                visibility,
                section,
                found,
                go == null ? descriptor : null,
                go);
        return new NumberedSymbol(symbol, inTable);
    }

    private GoFunction goFunction(BlobInput in) {
        int file = in.count();
        int abi = in.count();
        return new GoFunction(
                file == 0 ? null : at(sourceFiles, file - 1), abi == 0 ? null : at(SymbolsFormat.ABIS, abi - 1));
    }

    private static ProgramHeader programHeader(BlobInput in) {
        long type = in.unsigned();
        long flags = in.unsigned();
        long address = in.unsigned();
        long memorySize = in.unsigned();
        long alignment = in.unsigned();
        boolean isOfProgram = in.count() != 0;
        return new ProgramHeader(
                type,
                flags,
                address,
                memorySize,
                alignment,
                isOfProgram ? in.unsigned() : null,
                isOfProgram ? in.unsigned() : null);
    }

    private static TlsSegment tls(BlobInput in) {
        long address = in.unsigned();
        boolean hasFileSize = in.count() != 0;
        long fileSize = in.unsigned();
        return new TlsSegment(address, hasFileSize ? fileSize : null, in.unsigned(), in.unsigned());
    }

    private static <T> T at(T[] values, int index) {
        return at(List.of(values), index);
    }

    private static <T> T at(List<T> values, int index) {
        if (index >= values.size()) {
            throw new CorruptBlobException("number " + index + " of " + values.size());
        }
        return values.get(index);
    }
}
