package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.query.symbol.Matches;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Symbol search for the items of one query. All items share a limit on listed symbols and a budget: a pattern may match
 * every symbol of a build, and a hostile file gives them names of a megabyte. Not thread-safe.
 */
public final class SymbolSearch {

    /** Most symbols that one item lists. */
    static final int MAX_SYMBOLS = 1_000;

    /** Symbols that each item may list, however many the items before it list. */
    static final int ALWAYS = 8;

    private static final int MAX_SYMBOLS_TOGETHER = 10_000;
    private static final int MAX_CHARACTERS_TOGETHER = 4 << 20;
    private static final int MAX_STEPS_FOR_NAMES = 10_000;

    private final StoredSymbols symbols;
    private final @Nullable TlsSegment tls;
    private final SearchBudget budget;
    private final @Nullable ProgramFacts program;
    private final boolean incomplete;
    private @Nullable Map<Long, List<Symbol>> threadLocal;
    private int room = MAX_SYMBOLS_TOGETHER;
    private int characters = MAX_CHARACTERS_TOGETHER;

    /**
     * Creates a search for one query.
     *
     * @param tls the thread-local storage of the build; null if it has none
     */
    public SymbolSearch(StoredSymbols symbols, @Nullable TlsSegment tls, SearchBudget budget) {
        this(symbols, tls, budget, null);
    }

    /**
     * Creates a search for one query.
     *
     * @param tls the thread-local storage of the build; null if it has none
     * @param program what the file of the program states; null if that is not needed
     */
    public SymbolSearch(
            StoredSymbols symbols, @Nullable TlsSegment tls, SearchBudget budget, @Nullable ProgramFacts program) {
        this(symbols, tls, budget, program, false);
    }

    /**
     * Creates a search for one query.
     *
     * @param tls the thread-local storage of the build; null if it has none
     * @param program what the file of the program states; null if that is not needed
     * @param incomplete whether symbols or a symbol table were left out that the omissions of the types do not tell of
     */
    public SymbolSearch(
            StoredSymbols symbols,
            @Nullable TlsSegment tls,
            SearchBudget budget,
            @Nullable ProgramFacts program,
            boolean incomplete) {
        this.symbols = symbols;
        this.tls = tls;
        this.budget = budget;
        this.program = program;
        this.incomplete = incomplete;
    }

    /** Returns whether symbols or a symbol table were left out. */
    boolean isIncomplete() {
        return incomplete;
    }

    ItemOutcome named(SymbolPattern pattern) {
        Matches<Symbol> found = symbols.find(pattern, false, Math.max(ALWAYS, Math.min(MAX_SYMBOLS, room)), budget);
        if (budget.isExceeded()) {
            return new ItemOutcome.Missed(
                    ItemStatus.UNSUPPORTED,
                    "the symbol patterns of this query take too long to match; use fewer patterns, or start them with"
                            + " more literal characters");
        }
        if (found.total() == 0) {
            return new ItemOutcome.Missed(ItemStatus.TYPE_NOT_FOUND, "the build has no such symbol");
        }
        List<Symbol> listed = new ArrayList<>();
        for (Symbol symbol : found.first()) {
            characters -= symbol.versionedName().length();
            if (characters < 0) {
                break;
            }
            listed.add(symbol);
        }
        room -= listed.size();
        return new ItemOutcome.SymbolsFound(listed, found.total(), program);
    }

    /**
     * Returns the symbol of a variable; null if the build has none, or several of a name whose addresses debug information
     * does not have: those of thread-local variables and of relocatable files.
     *
     * <p>Compilers write other names for static variables than debug information has: {@code table.0} of C for one in a
     * function, {@code _ZN1nL6hiddenE} of C++ for one in a namespace. The address finds these, whatever has the name,
     * and so does the offset of a thread-local one.
     */
    @Nullable
    Symbol of(Variable variable) {
        List<Symbol> named = named(variable.symbolName());
        if (variable.address() != null) {
            long address = variable.address();
            Symbol found = named.stream()
                    .filter(symbol -> symbol.type() != SymbolType.TLS && symbol.value() == address)
                    .findFirst()
                    .orElseGet(() -> at(address, variable.name()));
            return budget.isExceeded() ? null : found;
        }
        Symbol atOffset = variable.blockOffset() == null ? null : threadLocal(variable, variable.blockOffset(), named);
        if (budget.isExceeded()) {
            return null;
        }
        if (atOffset != null || !hasSymbolOfItsName(variable)) {
            return atOffset;
        }
        List<Symbol> places = named.stream()
                .filter(symbol -> symbol.type() == SymbolType.TLS || symbol.isVariable())
                .toList();
        boolean one = places.stream().map(Symbol::value).distinct().count() == 1;
        return one ? places.getFirst() : null;
    }

    /** Returns whether a symbol of the name of a variable can be that of the variable. */
    private static boolean hasSymbolOfItsName(Variable variable) {
        return variable.linkageName() != null
                || !variable.language().family().ranksFirst()
                || (variable.function() == null && variable.qualifiedName().equals(variable.name()));
    }

    /**
     * Returns the symbol at an offset in the block of thread-local variables whose name is that of the variable or contains it.
     * Without such a symbol, debug information may count from elsewhere on the machine.
     */
    private @Nullable Symbol threadLocal(Variable variable, long offset, List<Symbol> named) {
        return named.stream()
                .filter(symbol -> symbol.type() == SymbolType.TLS && symbol.value() == offset)
                .findFirst()
                .or(() -> threadLocal().getOrDefault(offset, List.of()).stream()
                        .filter(symbol -> budget.contains(symbol.name(), variable.name()))
                        .findFirst())
                .orElse(null);
    }

    /** Returns the thread-local variables by their offsets. */
    private Map<Long, List<Symbol>> threadLocal() {
        if (threadLocal == null) {
            threadLocal = symbols.threadLocal(budget).stream().collect(Collectors.groupingBy(Symbol::value));
        }
        return threadLocal;
    }

    /** Returns the symbol of a variable at an address; of several, one whose name contains that of the variable. */
    private @Nullable Symbol at(long address, String name) {
        List<Symbol> found = symbols.variablesAt(address, budget);
        return found.stream()
                .filter(symbol -> budget.contains(symbol.name(), name))
                .findFirst()
                .orElse(found.isEmpty() ? null : found.getFirst());
    }

    /** Returns whether the name of a symbol leads to it: symbols of another place do not have this name. */
    boolean isUnambiguous(Symbol symbol) {
        List<Symbol> named = named(symbol.name());
        return !budget.isExceeded()
                && named.stream()
                        .allMatch(other -> other.value() == symbol.value()
                                && (other.type() == SymbolType.TLS) == (symbol.type() == SymbolType.TLS)
                                && other.section()
                                        .name()
                                        .equals(symbol.section().name()));
    }

    private List<Symbol> named(String name) {
        return name.isEmpty()
                ? List.of()
                : symbols.find(SymbolPattern.ofName(name), false, MAX_SYMBOLS, budget).first().stream()
                        .filter(symbol -> !symbol.isImported())
                        .toList();
    }

    /** Returns what the file of the program states; null if that is not needed. */
    @Nullable
    ProgramFacts program() {
        return program;
    }

    /** Returns the first names with this beginning, which must not have the characters of patterns. */
    List<String> namesFrom(String beginning, int limit) {
        return symbols
                .find(SymbolPattern.of(beginning + "*"), false, limit, new SearchBudget(MAX_STEPS_FOR_NAMES))
                .first()
                .stream()
                .map(Symbol::name)
                .distinct()
                .toList();
    }

    ItemOutcome threadLocalStorage() {
        return tls == null
                ? new ItemOutcome.Missed(ItemStatus.TYPE_NOT_FOUND, "the build has no thread-local storage (PT_TLS)")
                : new ItemOutcome.TlsFound(tls);
    }
}
