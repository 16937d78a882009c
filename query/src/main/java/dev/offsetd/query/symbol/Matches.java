package dev.offsetd.query.symbol;

import java.util.ArrayList;
import java.util.List;

/**
 * The first answers to a question about symbols, and how many there are.
 *
 * @param first at most as many as were asked for
 * @param total how many there are with those that are not listed
 */
public record Matches<T>(List<T> first, int total) {

    public Matches {
        first = List.copyOf(first);
    }

    /** Whether there are more than are listed. */
    public boolean isTruncated() {
        return total > first.size();
    }

    /** Collects them. */
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

        /** Counts some that need not be looked at: no more are listed. */
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
