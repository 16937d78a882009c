package dev.offsetd.server.symbols;

import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.query.symbol.Matches;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The room that one answer has for symbols. A pattern may suit them all, and a hostile file gives them names of a megabyte.
 * For one thread.
 */
final class SymbolRoom {

    /** Most symbols of an answer. */
    static final int MAX_SYMBOLS = 10_000;

    /** Most characters of their names and versions together. */
    static final int MAX_CHARACTERS = 4 << 20;

    private int symbols = MAX_SYMBOLS;
    private int characters = MAX_CHARACTERS;

    /**
     * Symbols that the next question may list.
     *
     * @param stillToCome questions after it, each of which can have one at least
     */
    int left(int stillToCome) {
        return Math.max(0, symbols - stillToCome);
    }

    /** As many of these as there is room for. */
    <T> Matches<T> take(Matches<T> matches, Function<T, Symbol> symbol) {
        List<T> taken = new ArrayList<>();
        for (T match : matches.first()) {
            int length = characters(symbol.apply(match));
            if (length > characters) {
                break;
            }
            characters -= length;
            taken.add(match);
        }
        symbols -= taken.size();
        return new Matches<>(taken, matches.total());
    }

    private static int characters(Symbol symbol) {
        return symbol.name().length()
                + (symbol.version() == null ? 0 : symbol.version().name().length());
    }
}
