package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.query.store.BlobInput;
import dev.offsetd.query.store.BlockTable;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredBlob;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Symbols by their distinct names, sorted by {@link String#compareTo}, and the look-up of patterns in them. */
final class SymbolNames {

    private final StoredSymbols symbols;
    private final StoredBlob blob;
    private final BlockTable.Directory names;

    /**
     * The last name read. A file may give a hundred thousand symbols one name of a megabyte; symbols read in sequence share
     * the string.
     */
    private volatile @Nullable Name lastName;

    SymbolNames(StoredSymbols symbols, StoredBlob blob, BlockTable.Directory names) {
        this.symbols = symbols;
        this.blob = blob;
        this.names = names;
    }

    /** A name; its symbols are consecutive from number {@code first}. */
    private record Name(int index, String text, int first, int count) {}

    private Name at(int index) {
        Name last = lastName;
        if (last == null || last.index() != index) {
            BlobInput in = blob.entry(names, index);
            last = new Name(index, in.string(), in.count(), in.count());
            if (last.count() > symbols.count() - last.first()) {
                throw new CorruptBlobException(
                        last.count() + " symbols from number " + last.first() + " of " + symbols.count());
            }
            lastName = last;
        }
        return last;
    }

    String name(int index) {
        return at(index).text();
    }

    /** Returns the number of symbols that have a name. */
    int symbolCount(int index) {
        return at(index).count();
    }

    /** Returns symbol {@code i} of a name, in the order of the tables. */
    Symbol symbol(int index, int i) {
        return symbols.symbol(at(index).first() + i);
    }

    /** Returns the index of this name, or -1. */
    int indexOf(String name) {
        int index = firstFrom(name);
        return index < names.entries() && name(index).equals(name) ? index : -1;
    }

    /** Returns the index of the first name that is not before this one. */
    private int firstFrom(String name) {
        int number = names.blockOf(name);
        if (number < 0) {
            return 0;
        }
        BlockTable.Block block = names.blocks().get(number);
        return block.firstEntry()
                + blob.entries(block).firstNot(entry -> entry.string().compareTo(name) < 0);
    }

    void forEachName(Consumer<List<Symbol>> sink) {
        for (int i = 0; i < names.entries(); i++) {
            int index = i;
            sink.accept(IntStream.range(0, symbolCount(index))
                    .mapToObj(symbol -> symbol(index, symbol))
                    .toList());
        }
    }

    Matches<Symbol> find(SymbolPattern pattern, boolean family, int limit, SearchBudget budget) {
        Search search = new Search(new Matches.Collector<>(limit), budget);
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
        return search.found.matches();
    }

    /** A search for the symbols of a pattern, which ends with its budget. */
    private final class Search {

        private final Matches.Collector<Symbol> found;
        private final SearchBudget budget;

        private Search(Matches.Collector<Symbol> found, SearchBudget budget) {
            this.found = found;
            this.budget = budget;
        }

        /** Adds the suiting symbols of all names that start with {@code start} and match. */
        private void addNamed(String start, Predicate<String> matches, Predicate<Symbol> suits) {
            for (int index = firstFrom(start); index < names.entries(); index++) {
                String name = name(index);
                if (!budget.takeName(name) || !name.startsWith(start)) {
                    return;
                }
                if (matches.test(name)) {
                    addSuiting(index, suits);
                }
            }
        }

        private void addSuiting(int index, Predicate<Symbol> suits) {
            int count = symbolCount(index);
            for (int i = 0; i < count; i++) {
                if (found.isFull() && suits.equals(SymbolPattern.EVERY_SYMBOL)) {
                    found.count(count - i);
                    return;
                }
                if (!budget.takeOne()) {
                    return;
                }
                Symbol symbol = symbol(index, i);
                if (suits.test(symbol)) {
                    found.add(symbol);
                }
            }
        }
    }
}
