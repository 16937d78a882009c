package dev.offsetd.query.typeset;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.UnfoldedMembers;

/**
 * Number of members and enumerators that the answers to a query list. Many items can name one type, whose members each of them
 * lists again.
 */
final class ListedMembers {

    /** Most members that the answers before a type list: 500 items have far fewer, unless they are of one huge type. */
    static final int MAX = 2 * UnfoldedMembers.MAX;

    private final UnfoldedMembers unfolded = new UnfoldedMembers();
    private long listed;

    /** Returns an answer, or that it is unsupported if it is a type and the answers before it list too many members. */
    ItemAnswer limited(ItemAnswer answer) {
        if (!(answer.outcome() instanceof ItemOutcome.TypeFound type)) {
            return answer;
        }
        if (listed >= MAX) {
            return new ItemAnswer(
                    answer.item(),
                    null,
                    new ItemOutcome.Missed(
                            ItemStatus.UNSUPPORTED,
                            "the types before it in the query have " + listed
                                    + " members and enumerators; expected fewer than " + MAX));
        }
        listed += switch (type.definition().shape().peeled()) {
            case AggregateShape aggregate -> unfolded.count(aggregate);
            case EnumShape enumeration -> enumeration.enumerators().size();
            default -> 0;
        };
        return answer;
    }
}
