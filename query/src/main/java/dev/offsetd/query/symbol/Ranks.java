package dev.offsetd.query.symbol;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.symbols.Symbol;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sort ranks of texts. A file may give a million symbols the same text of a megabyte; each text is compared once here, and
 * ranks are compared afterwards.
 */
final class Ranks {

    /** The rank of null: before any text. */
    static final int NONE = -1;

    private Ranks() {}

    /** Returns the ranks of the symbols' texts; equal for equal texts. */
    static int[] of(List<Symbol> symbols, Function<Symbol, @Nullable String> textOf) {
        IdentityHashMap<String, Integer> numbers = new IdentityHashMap<>();
        List<String> texts = new ArrayList<>();
        int[] ranks = new int[symbols.size()];
        for (int i = 0; i < ranks.length; i++) {
            Deadline.checkCurrent(i);
            String text = textOf.apply(symbols.get(i));
            ranks[i] = text == null
                    ? NONE
                    : numbers.computeIfAbsent(text, added -> {
                        texts.add(added);
                        return texts.size() - 1;
                    });
        }
        int[] rankOf = ranked(texts, numbers);
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = ranks[i] == NONE ? NONE : rankOf[ranks[i]];
        }
        return ranks;
    }

    private static int[] ranked(List<String> texts, IdentityHashMap<String, Integer> numbers) {
        // The texts themselves: a sort of numbers that stand for them looks each text up twice per comparison.
        String[] sorted = texts.toArray(String[]::new);
        Arrays.sort(sorted);
        int[] ranks = new int[sorted.length];
        int rank = NONE;
        String last = null;
        for (String text : sorted) {
            if (!text.equals(last)) {
                Deadline.checkCurrent(rank);
                rank++;
            }
            Integer number = numbers.get(text);
            if (number != null) {
                ranks[number] = rank;
            }
            last = text;
        }
        return ranks;
    }
}
