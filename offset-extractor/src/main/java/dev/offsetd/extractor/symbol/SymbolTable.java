package dev.offsetd.extractor.symbol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The symbols of one file, or of one file and its debug file, and what is asked of them. Immutable; safe for any number
 * of threads.
 */
public final class SymbolTable {

    private final ValueRule values;
    private final List<Symbol> symbols;

    /** For each symbol, the rank of its name. */
    private final int[] names;

    /** Indexes of symbols, sorted by name, those of one name in the order of the file. */
    private final int[] byName;

    private final AddressIndex byAddress;

    /**
     * The symbols of these tables, in this order. What several of them have is there once, as far as everything about it
     * is equal, and its {@link Symbol#sources} say where; what one of them has twice is there twice.
     */
    public static SymbolTable of(List<List<Symbol>> tables, ValueRule values) {
        return new SymbolTable(SymbolMerge.of(tables), values);
    }

    private SymbolTable(List<Symbol> symbols, ValueRule values) {
        this.values = values;
        this.symbols = symbols;
        this.names = Ranks.of(symbols, Symbol::name);
        this.byName = IntStream.range(0, names.length)
                .mapToLong(i -> (long) names[i] << 32 | i)
                .sorted()
                .mapToInt(key -> (int) key)
                .toArray();
        this.byAddress = new AddressIndex(values == ValueRule.SECTION_OFFSET ? List.of() : places(), values);
    }

    /** What is at an address, sorted by it; of several at one address the preferred first. */
    private List<Symbol> places() {
        int[] versions = Ranks.of(
                symbols,
                symbol -> symbol.version() == null ? null : symbol.version().name());
        Comparator<Integer> order = Comparator.<Integer, Long>comparing(
                        i -> values.addressOf(symbols.get(i)), Long::compareUnsigned)
                .thenComparing(i -> symbols.get(i).binding())
                .thenComparing(i -> symbols.get(i).size() == 0)
                .thenComparingInt(i -> symbols.get(i).name().length())
                .thenComparingInt(i -> names[i])
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

    /** These symbols and those of the separate debug file of the same build; what both have is there once. */
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

    /** Every symbol, in the order of the tables. */
    public List<Symbol> symbols() {
        return symbols;
    }

    /** The symbols that were asked for, sorted by name; those of one name in the order of the tables. */
    public List<Symbol> find(SymbolPattern pattern) {
        return find(pattern, false);
    }

    /**
     * As {@link #find}, followed by what compilers made out of functions of these names and named after them
     * ({@code name.cold}, {@code name.part.0}, {@code name.constprop.0.isra.0}): a function may be in several pieces.
     */
    public List<Symbol> findFamily(SymbolPattern pattern) {
        return find(pattern, true);
    }

    private List<Symbol> find(SymbolPattern pattern, boolean family) {
        List<Symbol> found = new ArrayList<>();
        NamePattern name = pattern.name();
        Predicate<Symbol> ofVersion = pattern.versionTest();
        if (name.isLiteral()) {
            int first = firstFrom(name.literal());
            if (first < byName.length && nameAt(first).equals(name.literal())) {
                addSuiting(first, ofVersion, found);
            }
        } else {
            addNamed(name.literal(), name::matches, ofVersion, found);
        }
        // Compilers give no versions to the pieces.
        if (family && name.isLiteral()) {
            addNamed(
                    name.literal() + ".",
                    other -> CloneSuffixes.isCloneOf(name.literal(), other),
                    symbol -> true,
                    found);
        } else if (family) {
            addNamed(
                    name.literal(),
                    other -> !name.matches(other) && name.matches(CloneSuffixes.functionOf(other)),
                    symbol -> true,
                    found);
        }
        pattern.wholeName()
                .ifPresent(
                        whole -> addNamed(whole.literal(), whole::matches, symbol -> symbol.version() == null, found));
        return List.copyOf(found);
    }

    /**
     * Other names of the variables that have this name, in the order of the tables: {@code _rtld_global} for
     * {@code _rtld_local}. Names without their versions, each once.
     */
    public List<String> aliasesOf(String name) {
        Set<Long> values = symbols.stream()
                .filter(symbol -> symbol.name().equals(name) && isVariable(symbol))
                .map(Symbol::value)
                .collect(Collectors.toUnmodifiableSet());
        return symbols.stream()
                .filter(symbol -> values.contains(symbol.value()) && isVariable(symbol))
                .map(Symbol::name)
                .filter(other -> !other.equals(name))
                .distinct()
                .toList();
    }

    private static boolean isVariable(Symbol symbol) {
        return symbol.type() == SymbolType.OBJECT && symbol.isPlace();
    }

    /** Adds the symbols that suit, of all names that start with this and match. */
    private void addNamed(String start, Predicate<String> matches, Predicate<Symbol> suits, List<Symbol> found) {
        for (int i = firstFrom(start); i < byName.length; i = endOfName(i)) {
            String name = nameAt(i);
            if (!name.startsWith(start)) {
                return;
            }
            if (matches.test(name)) {
                addSuiting(i, suits, found);
            }
        }
    }

    private void addSuiting(int first, Predicate<Symbol> suits, List<Symbol> found) {
        int end = endOfName(first);
        for (int i = first; i < end; i++) {
            Symbol symbol = symbols.get(byName[i]);
            if (suits.test(symbol)) {
                found.add(symbol);
            }
        }
    }

    private String nameAt(int place) {
        return symbols.get(byName[place]).name();
    }

    /** The first place in the order of names that has another name than this one. */
    private int endOfName(int place) {
        int end = place + 1;
        while (end < byName.length && names[byName[end]] == names[byName[place]]) {
            end++;
        }
        return end;
    }

    /** The first place in the order of names whose name is this one or comes after it. */
    private int firstFrom(String name) {
        int low = 0;
        int high = byName.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (nameAt(middle).compareTo(name) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * The symbols that this address belongs to, the preferred one first: global before weak before local, with a size before
     * without, the shortest name. Mapping symbols, section and file symbols, thread-local variables and absolute numbers
     * answer no address, and nothing in a relocatable file does.
     *
     * <ol>
     *   <li>A symbol with a size owns its bytes. Of nested ones the innermost answers, with its aliases: all that start
     *       where it does and hold the address.
     *   <li>Symbols at the address itself answer too, whether they have a size or not.
     *   <li>Where no symbol owns the address, those without a size answer that are the nearest before it, as far as their
     *       section goes, and unless a symbol with a size lies or ends between: hand-written assembly often gives its
     *       functions no size, and what follows a known end belongs to nobody.
     * </ol>
     *
     * @param address an ELF virtual address, unsigned; on 32-bit ARM without the Thumb bit
     */
    public List<SymbolAt> at(long address) {
        return List.copyOf(byAddress.at(address));
    }
}
