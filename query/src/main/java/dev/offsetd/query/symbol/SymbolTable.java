package dev.offsetd.query.symbol;

import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.SymbolSource;
import dev.offsetd.extractor.layout.SymbolVersion;
import dev.offsetd.extractor.layout.ValueRule;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Symbols of a file, or of a file and its debug file, in memory. Immutable. */
public final class SymbolTable implements SymbolIndex {

    private final ValueRule values;
    private final List<Symbol> symbols;

    private final int[] ranks;
    private final TableNames names;

    /** Made by the first search for an address: exports and searches by name do without. */
    private volatile @Nullable AddressIndex byAddress;

    /**
     * Merges symbol tables. Symbols that are equal in several tables occur once, with all their {@link Symbol#sources};
     * duplicates within a table stay.
     */
    public static SymbolTable of(List<List<Symbol>> tables, ValueRule values) {
        return new SymbolTable(SymbolMerge.of(tables), values);
    }

    /** Returns the symbols of a file, merged. */
    public static SymbolTable of(SymbolReport report) {
        return of(report.tables(), report.values());
    }

    private SymbolTable(List<Symbol> symbols, ValueRule values) {
        this.values = values;
        this.symbols = symbols;
        this.ranks = Ranks.of(symbols, Symbol::name);
        this.names = new TableNames(symbols, ranks);
    }

    private AddressIndex byAddress() {
        AddressIndex index = byAddress;
        if (index == null) {
            index = new AddressIndex(values == ValueRule.SECTION_OFFSET ? List.of() : sortedByAddress(), values);
            byAddress = index;
        }
        return index;
    }

    /** Returns symbols with an address, sorted by it; the preferred one of an address first. */
    private List<Symbol> sortedByAddress() {
        int[] versions = Ranks.of(
                symbols,
                symbol -> symbol.version() == null ? null : symbol.version().name());
        long[] addresses = symbols.stream().mapToLong(values::addressOf).toArray();
        Comparator<Integer> byAddressAlone = (one, other) -> Long.compareUnsigned(addresses[one], addresses[other]);
        Comparator<Integer> order = byAddressAlone
                .thenComparing(i -> symbols.get(i).binding())
                .thenComparing(i -> symbols.get(i).size() == 0)
                .thenComparingInt(i -> symbols.get(i).name().length())
                .thenComparingInt(i -> ranks[i])
                .thenComparing(i -> !isDefault(symbols.get(i).version()))
                .thenComparingInt(i -> versions[i]);
        return IntStream.range(0, symbols.size())
                .filter(i -> symbols.get(i).isPlace())
                .boxed()
                .sorted(order)
                .map(symbols::get)
                .toList();
    }

    private static boolean isDefault(@Nullable SymbolVersion version) {
        return version == null || version.isDefault();
    }

    /** Returns these symbols merged with those of the separate debug file of the build. */
    public SymbolTable withDebugFile(SymbolTable debugFile) {
        Map<List<SymbolSource>, List<SymbolSource>> shared = new HashMap<>();
        List<Symbol> others = debugFile.symbols.stream()
                .map(symbol -> symbol.with(
                        symbol.version(), shared.computeIfAbsent(symbol.sources(), SymbolTable::inDebugFile)))
                .toList();
        return of(List.of(symbols, others), values);
    }

    private static List<SymbolSource> inDebugFile(List<SymbolSource> sources) {
        return sources.stream()
                .map(source -> new SymbolSource(source.table(), true))
                .toList();
    }

    /** Returns all symbols in the order of the tables. */
    public List<Symbol> symbols() {
        return symbols;
    }

    public ValueRule values() {
        return values;
    }

    @Override
    public Matches<Symbol> find(SymbolPattern pattern, boolean family, int limit, SearchBudget budget) {
        return names.find(pattern, family, limit, budget);
    }

    @Override
    public void forEachName(Consumer<List<Symbol>> sink) {
        names.forEachName(sink);
    }

    @Override
    public List<String> aliasesOf(String name, SearchBudget budget) {
        int named = names.indexOf(name);
        if (named < 0) {
            return List.of();
        }
        Set<VariableLocation> places = names.symbols(named).stream()
                .filter(Symbol::isVariable)
                .map(VariableLocation::of)
                .collect(Collectors.toSet());
        Set<String> aliases = new LinkedHashSet<>();
        for (Symbol symbol : symbols) {
            if (!budget.takeOne()) {
                break;
            }
            if (symbol.isVariable() && places.contains(VariableLocation.of(symbol))) {
                aliases.add(symbol.name());
            }
        }
        aliases.remove(name);
        return List.copyOf(aliases);
    }

    @Override
    public Matches<SymbolAt> at(long address, int limit, SearchBudget budget) {
        return byAddress().at(address, limit, budget);
    }

    /** Returns the symbols by name. */
    public NameLookup names() {
        return names;
    }

    /** Returns the symbols by address. */
    public AddressLookup places() {
        return byAddress();
    }

    /** Address of a variable. In a relocatable file, each section starts at 0. */
    private record VariableLocation(int section, long value) implements Comparable<VariableLocation> {

        @Override
        public int compareTo(VariableLocation other) {
            int order = Integer.compare(section, other.section);
            return order != 0 ? order : Long.compare(value, other.value);
        }

        static VariableLocation of(Symbol symbol) {
            return new VariableLocation(symbol.section().index(), symbol.value());
        }
    }

    private static final class TableNames implements NameLookup {

        private final List<Symbol> symbols;

        /** Indexes of symbols sorted by name, those of one name in the order of the file. */
        private final int[] byName;

        /** For each distinct name, the start of its symbols in {@code byName}, and the end. */
        private final int[] starts;

        TableNames(List<Symbol> symbols, int[] ranks) {
            this.symbols = symbols;
            byName = IntStream.range(0, ranks.length)
                    .mapToLong(i -> (long) ranks[i] << 32 | i)
                    .sorted()
                    .mapToInt(key -> (int) key)
                    .toArray();
            starts = IntStream.rangeClosed(0, byName.length)
                    .filter(i -> i == 0 || i == byName.length || ranks[byName[i]] != ranks[byName[i - 1]])
                    .toArray();
        }

        @Override
        public int count() {
            return starts.length - 1;
        }

        @Override
        public String name(int place) {
            return symbols.get(byName[starts[place]]).name();
        }

        @Override
        public int firstFrom(String name) {
            int low = 0;
            int high = count();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (name(middle).compareTo(name) < 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        @Override
        public int symbolCount(int place) {
            return starts[place + 1] - starts[place];
        }

        @Override
        public Symbol symbol(int place, int i) {
            return symbols.get(byName[starts[place] + i]);
        }
    }
}
