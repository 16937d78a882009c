package dev.offsetd.query.symbol;

/**
 * Budget of steps for all searches of one query. A step is a name, symbol or address visited, 64 characters of a name, or
 * 64 further comparisons with a pattern. Queries and files have limits of their own, but a thousand patterns times a
 * million names need a joint one. A search ends when the budget is exceeded, and its result is useless then. Not
 * thread-safe.
 */
public final class SearchBudget {

    static final int CHARACTERS_PER_STEP = 64;

    private long left;

    /** Creates a budget of so many steps; a million take about a fifth of a second. */
    public SearchBudget(long steps) {
        this.left = steps;
    }

    /** Returns a budget without limit, for trusted queries and files. */
    public static SearchBudget unlimited() {
        return new SearchBudget(Long.MAX_VALUE);
    }

    /** Returns whether a search has ended because the budget was exceeded. */
    public boolean isExceeded() {
        return left < 0;
    }

    /** Takes the steps for a name; false if the budget is exceeded. */
    boolean takeName(String name) {
        return take(steps(name));
    }

    private static long steps(String name) {
        return 1L + name.length() / CHARACTERS_PER_STEP;
    }

    /** Returns the comparisons included in the steps for a name: most patterns need no more. */
    static long comparisonsPaid(String name) {
        return steps(name) * CHARACTERS_PER_STEP;
    }

    /** Takes a step for 64 comparisons of characters; false if the budget is exceeded. */
    boolean takeComparisons() {
        return take(1);
    }

    /** Takes a step for a symbol or address; false if the budget is exceeded. */
    public boolean takeOne() {
        return take(1);
    }

    /**
     * Returns whether a name contains a part, false if the budget is exceeded. In the worst case each character of the name is compared
     * with each of the part; the budget pays for that.
     */
    public boolean contains(String name, String part) {
        return take(1 + (long) name.length() * part.length() / CHARACTERS_PER_STEP) && name.contains(part);
    }

    private boolean take(long cost) {
        left -= cost;
        return left >= 0;
    }
}
