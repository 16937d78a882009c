package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.query.symbol.Matches;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Limits on the symbols of one answer. A pattern may match every symbol, and a hostile file may give symbols names of a
 * megabyte. Not thread-safe.
 */
final class SymbolAllowance {

    /** Limit of symbols. */
    static final int MAX_SYMBOLS = 10_000;

    /** Limit of the total length of names and versions. */
    static final int MAX_CHARACTERS = 4 << 20;

    private int symbols = MAX_SYMBOLS;
    private int characters = MAX_CHARACTERS;

    /**
     * Returns how many symbols the next name or address may list.
     *
     * @param remaining names and addresses after it, for each of which one symbol is reserved
     */
    int left(int remaining) {
        return Math.max(0, symbols - remaining);
    }

    /** Returns the first matches that fit, and subtracts them from the allowance. */
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
