package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.ExpectedDefinition;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of two lists of definitions of one file, both in DIE order. Equal definitions are counted but not
 * retained.
 */
public final class Comparison {

    private static final int KEPT_DIFFERENCES = 100;

    private final Iterator<ExpectedDefinition> theirs;
    private final List<Difference> differences = new ArrayList<>();
    private @Nullable ExpectedDefinition next;
    private @Nullable ExpectedDefinition lastOurs;
    private long definitions;
    private long parts;
    private long differenceCount;

    /**
     * A definition that differs between the two sides.
     *
     * @param ours null if the reader has none at this DIE
     * @param theirs null if the other tool has none at this DIE
     */
    public record Difference(
            @Nullable ExpectedDefinition ours, @Nullable ExpectedDefinition theirs) {
        /** Returns the location of the definition and the parts that differ. */
        @Override
        public String toString() {
            if (ours == null || theirs == null) {
                return "  only " + (theirs == null ? "ours:   " + ours : "theirs: " + theirs);
            }
            List<String> different = new ArrayList<>();
            add(different, head(ours), head(theirs));
            add(different, ours.members(), theirs.members());
            add(different, ours.enumerators(), theirs.enumerators());
            return "  " + ours.section() + "+0x" + Long.toHexString(ours.dieOffset()) + " " + ours.kind() + " "
                    + ours.name() + " in " + ours.unit() + "\n" + String.join("\n", different);
        }

        private static List<Object> head(ExpectedDefinition definition) {
            return List.of(definition.unit(), definition.kind(), definition.name(), definition.size());
        }

        private static void add(List<String> different, List<?> ours, List<?> theirs) {
            for (int i = 0; i < Math.max(ours.size(), theirs.size()); i++) {
                Object our = i < ours.size() ? ours.get(i) : "nothing";
                Object their = i < theirs.size() ? theirs.get(i) : "nothing";
                if (!our.equals(their)) {
                    different.add("    ours   " + our + "\n    theirs " + their);
                }
            }
        }
    }

    /**
     * Result of a comparison.
     *
     * @param definitions number of DIEs that either side has
     * @param parts number of their members, base classes and enumerators
     * @param differences the first differences
     * @param differenceCount total number of differences
     */
    public record Result(long definitions, long parts, List<Difference> differences, long differenceCount) {
        public Result {
            differences = List.copyOf(differences);
        }
    }

    /** @param theirs definitions of the other tool */
    public Comparison(Iterator<ExpectedDefinition> theirs) {
        this.theirs = theirs;
        advance();
    }

    /** Compares the reader's next definition. */
    public void add(ExpectedDefinition ours) {
        if (lastOurs != null && order(lastOurs, ours) >= 0) {
            throw new IllegalStateException("the reader's definitions are not in order: " + lastOurs + ", " + ours);
        }
        lastOurs = ours;
        while (next != null && order(next, ours) < 0) {
            count(null, next);
            advance();
        }
        if (next != null && order(next, ours) == 0) {
            count(ours, next);
            advance();
        } else {
            count(ours, null);
        }
    }

    /** Counts the remaining definitions of the other tool and returns the result. */
    public Result finish() {
        while (next != null) {
            count(null, next);
            advance();
        }
        return new Result(definitions, parts, differences, differenceCount);
    }

    private void advance() {
        next = theirs.hasNext() ? theirs.next() : null;
    }

    private void count(@Nullable ExpectedDefinition ours, @Nullable ExpectedDefinition their) {
        definitions++;
        ExpectedDefinition either = ours == null ? their : ours;
        if (either != null) {
            parts += either.members().size() + either.enumerators().size();
        }
        boolean same = ours != null && ours.equals(their);
        if (!same && differenceCount++ < KEPT_DIFFERENCES) {
            differences.add(new Difference(ours, their));
        }
    }

    /** Orders {@code .debug_info} before {@code .debug_types}, like the reader. */
    private static int order(ExpectedDefinition a, ExpectedDefinition b) {
        int bySection = a.section().compareTo(b.section());
        return bySection != 0 ? bySection : Long.compare(a.dieOffset(), b.dieOffset());
    }
}
