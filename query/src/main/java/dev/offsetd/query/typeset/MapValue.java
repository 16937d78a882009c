package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemStatus;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** Value of a name of a {@link NameMap} in a build. */
public sealed interface MapValue {

    /** Returns whether another value is the same number, or both are none. */
    default boolean isSameNumber(@Nullable MapValue other) {
        return this instanceof Known known
                ? other instanceof Known same && known.number().equals(same.number())
                : other instanceof Missing;
    }

    /**
     * A number.
     *
     * @param number from the smallest signed to the largest unsigned integer of 64 bits
     * @param limit where a member's offset must stay; null for other numbers and where a size is not known
     */
    record Known(BigInteger number, @Nullable Limit limit) implements MapValue {

        Known(BigInteger number) {
            this(number, null);
        }

        Known(long number) {
            this(BigInteger.valueOf(number));
        }
    }

    /**
     * The bound of an offset, with which a reader of a table rejects a damaged one: offset and {@code size} are at most {@code
     * within}.
     *
     * @param size of the member, in bytes
     * @param within size of its outermost type, in bytes
     */
    record Limit(long size, long within) {}

    /**
     * No number.
     *
     * @param item the item that the value is of
     * @param status never {@link ItemStatus#FOUND}
     * @param detail the reason why an item that was found has no number; else null
     */
    record Missing(Item item, ItemStatus status, @Nullable String detail) implements MapValue {}
}
