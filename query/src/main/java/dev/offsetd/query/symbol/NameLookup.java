package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.Symbol;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Symbols by their distinct names, sorted by {@link String#compareTo}, and the look-up of patterns in them. */
public interface NameLookup {

    /** Returns the number of names. */
    int count();

    String name(int index);

    /** Returns the index of the first name that is not before this one. */
    int firstFrom(String name);

    /** Returns the number of symbols that have a name. */
    int symbolCount(int index);

    /** Returns symbol {@code i} of a name, in the order of the tables. */
    Symbol symbol(int index, int i);

    /** Returns the symbols of a name, in the order of the tables. */
    default List<Symbol> symbols(int index) {
        int count = symbolCount(index);
        if (count == 1) {
            return List.of(symbol(index, 0));
        }
        return IntStream.range(0, count).mapToObj(i -> symbol(index, i)).toList();
    }

    /** Implements {@link SymbolIndex#forEachName}. */
    default void forEachName(Consumer<List<Symbol>> sink) {
        for (int i = 0; i < count(); i++) {
            sink.accept(symbols(i));
        }
    }

    /** Implements {@link SymbolIndex#find(SymbolPattern, boolean, int, SearchBudget)}. */
    default Matches<Symbol> find(SymbolPattern pattern, boolean family, int limit, SearchBudget budget) {
        NameSearch search = new NameSearch(this, limit, budget);
        NamePattern name = pattern.name();
        Predicate<Symbol> ofVersion = pattern.versionTest(budget);
        if (name.isLiteral()) {
            int index = indexOf(name.literal());
            if (index >= 0) {
                search.addSuiting(index, ofVersion);
            }
        } else {
            search.addNamed(name.literal(), other -> name.matches(other, budget), ofVersion);
        }
        // Compilers give no versions to the parts of a function that they split off.
        if (family && name.isLiteral()) {
            search.addNamed(
                    name.literal() + ".",
                    other -> CloneSuffixes.isCloneOf(name.literal(), other),
                    SymbolPattern.EVERY_SYMBOL);
        } else if (family) {
            search.addNamed(
                    name.literal(),
                    other -> !name.matches(other, budget) && name.matches(CloneSuffixes.functionOf(other), budget),
                    SymbolPattern.EVERY_SYMBOL);
        }
        pattern.wholeName()
                .ifPresent(whole -> search.addNamed(
                        whole.literal(), other -> whole.matches(other, budget), symbol -> symbol.version() == null));
        return search.matches();
    }

    /** Returns the index of this name, or -1. */
    default int indexOf(String name) {
        int index = firstFrom(name);
        return index < count() && name(index).equals(name) ? index : -1;
    }
}
