package dev.offsetd.query.store;

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
import dev.offsetd.query.symbol.AddressLookup;
import dev.offsetd.query.symbol.Matches;
import dev.offsetd.query.symbol.NameLookup;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.SymbolAt;
import dev.offsetd.query.symbol.SymbolIndex;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.symbol.SymbolTable;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Symbols that are read from their blob, block by block, as they are looked up; see {@link SymbolsFormat}. Any method may
 * throw {@link CorruptBlobException}.
 */
public final class StoredSymbols implements SymbolIndex {

    /** The names of neighbouring addresses are anywhere; all blocks of a library of 30,000 symbols. */
    private static final int KEPT_BLOCKS = 64;

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
    private final BlockTable.Directory places;

    /** For each block of addresses, the greatest end of a symbol in it. */
    private final long[] reaches;

    /**
     * The greatest end up to each symbol of a block, made for the first address in the block. Soft, because a program may have
     * millions of symbols.
     */
    private final AtomicReferenceArray<@Nullable SoftReference<long[]>> greatestEnds;

    /**
     * The last name read. A file may give a hundred thousand symbols one name of a megabyte; symbols read in sequence share
     * the string.
     */
    private volatile @Nullable Name lastName;

    private final NameLookup byName = new StoredNames();
    private final AddressLookup byAddress = new StoredAddresses();

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
        places = BlockTable.Directory.read(in);
        reaches = new long[places.blocks().size()];
        greatestEnds = new AtomicReferenceArray<>(reaches.length);
        for (int i = 0; i < reaches.length; i++) {
            reaches[i] = in.unsigned();
        }
        int headerCount = in.remaining() == 0 ? 0 : in.count();
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

    @Override
    public Matches<Symbol> find(SymbolPattern pattern, boolean family, int limit, SearchBudget budget) {
        return byName.find(pattern, family, limit, budget);
    }

    @Override
    public void forEachName(Consumer<List<Symbol>> sink) {
        byName.forEachName(sink);
    }

    @Override
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

    private List<NumberedSymbol> at(Set<VariableLocation> places, SearchBudget budget) {
        List<NumberedSymbol> found = new ArrayList<>();
        for (VariableLocation place : places) {
            int after = byAddress.firstAfter(place.value());
            for (int i = after - 1; i >= 0 && byAddress.start(i) == place.value() && budget.takeOne(); i--) {
                NumberedSymbol entry = entry(symbolNumber(i));
                if (entry.symbol().isVariable()) {
                    found.add(entry);
                }
            }
        }
        return found;
    }

    @Override
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

    /** A name; its symbols are consecutive from number {@code first}. */
    private record Name(int place, String text, int first, int count) {}

    /** A symbol with its position in the tables of the file. */
    private record NumberedSymbol(Symbol symbol, int inTable) {}

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

    private int symbolNumber(int place) {
        BlobInput in = blob.entry(places, place);
        in.unsigned();
        in.unsigned();
        return in.count();
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

    private final class StoredNames implements NameLookup {

        @Override
        public int count() {
            return names.entries();
        }

        @Override
        public String name(int place) {
            return entryAt(place).text();
        }

        private Name entryAt(int place) {
            Name last = lastName;
            if (last == null || last.place() != place) {
                BlobInput in = blob.entry(names, place);
                last = new Name(place, in.string(), in.count(), in.count());
                if (last.count() > symbols.entries() - last.first()) {
                    throw new CorruptBlobException(
                            last.count() + " symbols from number " + last.first() + " of " + symbols.entries());
                }
                lastName = last;
            }
            return last;
        }

        @Override
        public int firstFrom(String name) {
            int number = names.blockOf(name);
            if (number < 0) {
                return 0;
            }
            BlockTable.Block block = names.blocks().get(number);
            return block.firstEntry()
                    + blob.entries(block).firstNot(entry -> entry.string().compareTo(name) < 0);
        }

        @Override
        public int symbolCount(int place) {
            return entryAt(place).count();
        }

        @Override
        public Symbol symbol(int place, int i) {
            return entry(entryAt(place).first() + i).symbol();
        }
    }

    private final class StoredAddresses implements AddressLookup {

        @Override
        public long start(int i) {
            return blob.entry(places, i).unsigned();
        }

        @Override
        public long end(int i) {
            return end(blob.entry(places, i));
        }

        private static long end(BlobInput entry) {
            entry.unsigned();
            return entry.unsigned();
        }

        @Override
        public Symbol symbol(int i) {
            return entry(symbolNumber(i)).symbol();
        }

        @Override
        public int firstAfter(long address) {
            int number = places.blockOf(SymbolsFormat.key(address));
            // Entries of one address may fill several blocks: the last block that starts at or before it has the last
            // one.
            if (number < 0) {
                return 0;
            }
            BlockTable.Block block = places.blocks().get(number);
            return block.firstEntry()
                    + blob.entries(block).firstNot(entry -> Long.compareUnsigned(entry.unsigned(), address) <= 0);
        }

        @Override
        public int lastReaching(int limit, long address) {
            for (int b = reaches.length - 1; b >= 0; b--) {
                BlockTable.Block block = places.blocks().get(b);
                if (block.firstEntry() < limit && Long.compareUnsigned(reaches[b], address) > 0) {
                    BlockTable.Entries entries = blob.entries(block);
                    long[] greatest = greatestEnds(b, entries);
                    int i = Math.min(limit - block.firstEntry(), entries.size()) - 1;
                    while (i >= 0 && Long.compareUnsigned(greatest[i], address) > 0) {
                        if (Long.compareUnsigned(end(entries.entry(i)), address) > 0) {
                            return block.firstEntry() + i;
                        }
                        i--;
                    }
                }
            }
            return -1;
        }

        /** Returns for each entry of a block the greatest end of those up to it. */
        private long[] greatestEnds(int block, BlockTable.Entries entries) {
            SoftReference<long[]> reference = greatestEnds.get(block);
            long[] known = reference == null ? null : reference.get();
            if (known != null) {
                return known;
            }
            long[] greatest = new long[entries.size()];
            long most = 0;
            for (int i = 0; i < greatest.length; i++) {
                long end = end(entries.entry(i));
                most = Long.compareUnsigned(end, most) > 0 ? end : most;
                greatest[i] = most;
            }
            greatestEnds.set(block, new SoftReference<>(greatest));
            return greatest;
        }
    }
}
