package dev.offsetd.query.symbol;

/**
 * The steps that the searches for one question may take together: a step for every name, symbol and place that is looked
 * at, one for every 64 characters of a name, and one for every 64 comparisons with a pattern beyond those. Questions come
 * from strangers, and so do files: each has its limits, but a thousand patterns times a million names have not. A search
 * ends where its budget does, and what it has found until then is of no use. For one thread.
 */
public final class SearchBudget {

    static final int CHARACTERS_PER_STEP = 64;

    private long left;

    /** A budget of so many steps; a million take about a fifth of a second. */
    public SearchBudget(long steps) {
        this.left = steps;
    }

    /** For questions and files that are one's own. */
    public static SearchBudget unlimited() {
        return new SearchBudget(Long.MAX_VALUE);
    }

    /** Whether a search has ended for want of steps. */
    public boolean isExceeded() {
        return left < 0;
    }

    /** Pays for a look at a name; false if there is nothing left to pay with. */
    boolean takeName(String name) {
        return take(steps(name));
    }

    private static long steps(String name) {
        return 1L + name.length() / CHARACTERS_PER_STEP;
    }

    /** Comparisons that come with a look at a name: for most patterns there are no more. */
    static long comparisonsPaid(String name) {
        return steps(name) * CHARACTERS_PER_STEP;
    }

    /** Pays for 64 comparisons of a character of a name with one of a pattern; false if there is nothing left to pay with. */
    boolean takeComparisons() {
        return take(1);
    }

    /** Pays for a look at a symbol or place; false if there is nothing left to pay with. */
    public boolean takeOne() {
        return take(1);
    }

    private boolean take(long cost) {
        left -= cost;
        return left >= 0;
    }
}
