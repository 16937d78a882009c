package dev.offsetd.extractor.input;

import java.util.function.IntPredicate;

/** Binary search. */
public final class Search {

    private Search() {}

    /**
     * Returns the first number from 0 on that a condition does not hold for; {@code count} if it holds for all below.
     *
     * @param holds if it holds for a number, it does for all below
     */
    public static int firstNot(int count, IntPredicate holds) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (holds.test(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
