package dev.offsetd.query.symbol;

import dev.offsetd.extractor.layout.Symbol;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Texts as numbers that sort like them. A file may give a million symbols one and the same text of a megabyte; it is
 * compared here once, and numbers are compared from then on.
 */
final class Ranks {

    /** The rank of no text: before that of any. */
    static final int NONE = -1;

    private Ranks() {}

    /** The ranks of these symbols' texts, equal ones for equal texts. */
    static int[] of(List<Symbol> symbols, Function<Symbol, @Nullable String> textOf) {
        IdentityHashMap<String, Integer> numbers = new IdentityHashMap<>();
        List<String> texts = new ArrayList<>();
        int[] ranks = new int[symbols.size()];
        for (int i = 0; i < ranks.length; i++) {
            String text = textOf.apply(symbols.get(i));
            ranks[i] = text == null
                    ? NONE
                    : numbers.computeIfAbsent(text, added -> {
                        texts.add(added);
                        return texts.size() - 1;
                    });
        }
        int[] rankOf = ranked(texts);
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = ranks[i] == NONE ? NONE : rankOf[ranks[i]];
        }
        return ranks;
    }

    private static int[] ranked(List<String> texts) {
        List<Integer> sorted = new ArrayList<>(texts.size());
        for (int i = 0; i < texts.size(); i++) {
            sorted.add(i);
        }
        sorted.sort(Comparator.comparing(texts::get));
        int[] ranks = new int[texts.size()];
        int rank = NONE;
        String last = null;
        for (int number : sorted) {
            String text = texts.get(number);
            if (!text.equals(last)) {
                rank++;
            }
            ranks[number] = rank;
            last = text;
        }
        return ranks;
    }
}
