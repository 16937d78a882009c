package dev.offsetd.query.symbol;

import java.util.ArrayList;
import java.util.List;

/**
 * The first matches of a symbol search, and their total.
 *
 * @param first the listed matches, up to the limit of the search
 * @param total the number of matches, listed or not
 */
public record Matches<T>(List<T> first, int total) {

    public Matches {
        first = List.copyOf(first);
    }

    /** Returns whether there are more matches than listed. */
    public boolean isTruncated() {
        return total > first.size();
    }

    /** Collector of matches up to a limit. */
    static final class Collector<T> {

        private final int limit;
        private final List<T> first = new ArrayList<>();
        private int total;

        Collector(int limit) {
            this.limit = limit;
        }

        void add(T match) {
            if (!isFull()) {
                first.add(match);
            }
            total++;
        }

        /** Counts matches without looking at them, when no more are listed. */
        void count(int matches) {
            total += matches;
        }

        boolean isFull() {
            return first.size() >= limit;
        }

        Matches<T> matches() {
            return new Matches<>(first, total);
        }
    }
}
