package dev.offsetd.query.symbol;

import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolVersion;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.extractor.symbols.ValueRule;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Merged symbols of a file, or of a file and its debug file, as they are stored. Immutable. */
public final class SymbolTable {

    private final List<Symbol> symbols;
    private final ValueRule values;
    private final @Nullable TlsSegment tls;
    private final List<ProgramHeader> programHeaders;
    private final int[] ranks;

    /**
     * Merges the symbol tables of a file. Symbols that are equal in several tables occur once, with all their
     * {@link Symbol#sources}; duplicates within a table stay.
     */
    public static SymbolTable of(SymbolReport report) {
        return of(report.tables(), report.values(), report.tls(), report.programHeaders());
    }

    /**
     * Merges symbol tables as {@link #of(SymbolReport)} does.
     *
     * @param tls the thread-local storage of the file; null if it has none
     */
    public static SymbolTable of(
            List<List<Symbol>> tables, ValueRule values, @Nullable TlsSegment tls, List<ProgramHeader> programHeaders) {
        return new SymbolTable(SymbolMerge.of(tables), values, tls, programHeaders);
    }

    private SymbolTable(
            List<Symbol> symbols, ValueRule values, @Nullable TlsSegment tls, List<ProgramHeader> programHeaders) {
        this.symbols = symbols;
        this.values = values;
        this.tls = tls;
        this.programHeaders = programHeaders;
        this.ranks = Ranks.of(symbols, Symbol::name);
    }

    /** Returns these symbols merged with those of the separate debug file of the build. */
    public SymbolTable withDebugFile(SymbolTable debugFile) {
        Map<List<SymbolSource>, List<SymbolSource>> shared = new HashMap<>();
        List<Symbol> others = debugFile.symbols.stream()
                .map(symbol -> symbol.with(
                        symbol.version(), shared.computeIfAbsent(symbol.sources(), SymbolTable::inDebugFile)))
                .toList();
        // The symbols of a Go program say more of its functions than its line table.
        List<Symbol> own = symbols.stream()
                .filter(symbol -> symbol.go() == null || others.isEmpty())
                .toList();
        return of(List.of(own, others), values, tls == null ? debugFile.tls : tls, programHeaders);
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

    /** Returns the thread-local storage; empty if there is none. */
    public Optional<TlsSegment> tls() {
        return Optional.ofNullable(tls);
    }

    public List<ProgramHeader> programHeaders() {
        return programHeaders;
    }

    /** Returns where the symbols are in the file of the program. */
    public FileOffsets fileOffsets() {
        return FileOffsets.of(programHeaders, values);
    }

    /** Returns the indexes of the symbols sorted by name, those of one name in the order of the tables. */
    public int[] byName() {
        return IntStream.range(0, ranks.length)
                .mapToLong(i -> (long) ranks[i] << 32 | i)
                .sorted()
                .mapToInt(key -> (int) key)
                .toArray();
    }

    /** Returns whether the names of two symbols are equal, without comparing them again. */
    public boolean haveOneName(int one, int other) {
        return ranks[one] == ranks[other];
    }

    /** Returns the indexes of the symbols with an address, sorted by it; the preferred one of an address first. */
    public int[] byAddress() {
        if (values == ValueRule.SECTION_OFFSET) {
            return new int[0];
        }
        int[] versions = Ranks.of(
                symbols,
                symbol -> symbol.version() == null ? null : symbol.version().name());
        long[] addresses = symbols.stream().mapToLong(values::addressOf).toArray();
        Comparator<Integer> byAddressAlone = (one, other) -> {
            Deadline.checkCurrent(one);
            return Long.compareUnsigned(addresses[one], addresses[other]);
        };
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
                .mapToInt(i -> i)
                .toArray();
    }

    private static boolean isDefault(@Nullable SymbolVersion version) {
        return version == null || version.isDefault();
    }
}
