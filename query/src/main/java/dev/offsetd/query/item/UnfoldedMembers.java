package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import java.util.IdentityHashMap;

/**
 * Numbers of members of types with those of their unnamed members and base classes. A file can share one type among many
 * members, and these again, so that few of its bytes stand for more members than memory has room for; counting them visits
 * each type once. Not thread-safe.
 */
public final class UnfoldedMembers {

    /** Most members of one type that are shown or reached. */
    public static final int MAX = 100_000;

    /** Most members that a type repeats, and for each that it has once: real base classes are repeated a few times. */
    private static final int REPEATED = 1_000;

    private static final int REPEATED_EACH = 8;

    private final IdentityHashMap<AggregateShape, Long> counts = new IdentityHashMap<>();

    /** Creates an empty cache of numbers. */
    public UnfoldedMembers() {}

    /** Returns whether a type has too many members to show or reach them: more than {@link #MAX}, or the same too often. */
    public static boolean areTooMany(AggregateShape shape) {
        UnfoldedMembers members = new UnfoldedMembers();
        long count = members.count(shape);
        long once = members.counts.keySet().stream()
                .mapToLong(each -> each.members().size())
                .sum();
        return count > MAX || count > REPEATED + REPEATED_EACH * once;
    }

    /** Returns whether the members of a member are shown, or reached, as those of its parent. */
    static boolean isUnfolded(Member member) {
        return member.role() == Member.Role.BASE_CLASS || member.isUnnamedAggregate();
    }

    /** Returns how many members a type has; {@link Long#MAX_VALUE} if they cannot be counted. */
    public long count(AggregateShape shape) {
        Long known = counts.get(shape);
        if (known != null) {
            return known;
        }
        long count = shape.members().size();
        for (Member member : shape.members()) {
            if (isUnfolded(member) && member.type().peeled() instanceof AggregateShape inner) {
                long more = count(inner);
                count = count > Long.MAX_VALUE - more ? Long.MAX_VALUE : count + more;
            }
        }
        counts.put(shape, count);
        return count;
    }
}
