package dev.offsetd.query.resolve;

import dev.offsetd.extractor.corpus.SecondOpinion;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.SymbolSearch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The leaves of the variables of a file: members and elements without parts. Items and {@code resolve} must be each other's
 * inverse in the first and the last byte of each.
 */
public final class VariableLeaves {

    /** Leaves of a file that are compared. Small variables come first, so that one array does not take all. */
    private static final int MOST = 1_000_000;

    private final TypeIndex types;
    private final ItemResolver resolver;
    private final List<String> differences = new ArrayList<>();
    private int compared;

    private VariableLeaves(TypeIndex types, SymbolSearch symbols) {
        this.types = types;
        this.resolver = new ItemResolver(new BuildContents(types, symbols), null);
    }

    /** Compares both ways in the variables whose name has one answer. */
    public static SecondOpinion.Result compare(TypeIndex types, SymbolSearch symbols) {
        VariableLeaves leaves = new VariableLeaves(types, symbols);
        Map<String, Long> sizes = new TreeMap<>();
        types.forEachVariable(variable -> {
            if (!variable.declaration() && variable.type().byteSize() > 0) {
                sizes.put(variable.qualifiedName(), variable.type().byteSize());
            }
        });
        sizes.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .forEach(variable -> leaves.compare(variable.getKey()));
        return new SecondOpinion.Result("items, resolve", leaves.compared, leaves.differences);
    }

    private void compare(String name) {
        ItemOutcome outcome = outcome(name);
        if (outcome instanceof ItemOutcome.Ambiguous) {
            return;
        }
        if (!(outcome instanceof ItemOutcome.VariableFound whole)) {
            differences.add("variable " + name + ": " + outcome);
            return;
        }
        long start =
                whole.isThreadLocal() ? Objects.requireNonNull(whole.symbol()).value() : 0;
        long size = whole.variable().type().byteSize();
        for (long at = 0; at < size && compared < MOST; ) {
            long next = Long.MAX_VALUE;
            for (ResolutionStep leaf : leavesAt(name, at)) {
                next = Math.min(next, leaf.offset() + Math.max(leaf.size(), 1));
                if (leaf.offset() == at && leaf.name() != null && leaf.kind() != ResolutionStep.Kind.COMPUTED) {
                    compare(name, start, leaf);
                }
            }
            at = next == Long.MAX_VALUE ? at + 1 : Math.max(next, at + 1);
        }
    }

    /** Compares one leaf: {@code resolve} has it at its last byte too, and the item of its path is where it is. */
    private void compare(String name, long start, ResolutionStep leaf) {
        compared++;
        long last = leaf.offset() + Math.max(leaf.size(), 1) - 1;
        if (leavesAt(name, last).stream().noneMatch(other -> areSame(other, leaf))) {
            differences.add(leaf.path() + ": resolve has it at byte " + leaf.offset() + " and not at " + last);
        }
        String expected = (start + leaf.offset()) + " " + leaf.size() + " bit " + (start * Byte.SIZE + leaf.bitOffset())
                + " " + leaf.bitSize();
        ItemOutcome outcome = outcome(leaf.path());
        if (outcome instanceof ItemOutcome.Ambiguous) {
            return; // Another base class has a member of this name.
        }
        String found = outcome instanceof ItemOutcome.VariableFound variable
                        && variable.part() instanceof ItemOutcome.PathFound part
                ? place(part.placement())
                : String.valueOf(outcome);
        if (!found.equals(expected)) {
            differences.add(leaf.path() + "\n  resolve " + expected + "\n  item    " + found);
        }
    }

    private static boolean areSame(ResolutionStep one, ResolutionStep other) {
        return one.kind() == other.kind()
                && one.path().equals(other.path())
                && one.bitOffset() == other.bitOffset()
                && one.size() == other.size()
                && one.bitSize() == other.bitSize()
                && one.pastEnd() == other.pastEnd();
    }

    private static String place(Placement.Fixed place) {
        return place.offset() + " " + place.size() + " bit " + place.bitOffset() + " " + place.bitSize();
    }

    private ItemOutcome outcome(String path) {
        try {
            return resolver.resolve(ItemParser.parse("variable " + quoted(path)))
                    .outcome();
        } catch (ItemSyntaxException e) {
            return new ItemOutcome.Missed(ItemStatus.UNSUPPORTED, e.getMessage());
        }
    }

    /** Quotes the name in a path as the message of a refused item says: Go has {@code runtime..stmp_41}. */
    private static String quoted(String path) {
        return path.replaceFirst("^([^.\\[]+\\.\\.[^.\\[]+)", "\"$1\"");
    }

    private List<ResolutionStep> leavesAt(String name, long at) {
        OffsetAnswer answer =
                OffsetResolver.resolve(new OffsetExpression(name + "+" + at, null, name, at), types, null);
        List<ResolutionStep> leaves = new ArrayList<>();
        if (answer instanceof OffsetAnswer.Resolved resolved) {
            addLeaves(resolved.root(), leaves);
        } else {
            differences.add(name + "+" + at + ": " + answer);
        }
        return leaves;
    }

    private static void addLeaves(ResolutionStep step, List<ResolutionStep> leaves) {
        if (step.isLeaf() && step.kind() != ResolutionStep.Kind.PADDING) {
            leaves.add(step);
        }
        step.contents().forEach(inner -> addLeaves(inner, leaves));
    }
}
