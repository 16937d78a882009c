package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemStatus;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** Value of a name of a {@link NameMap} in a build. */
public sealed interface MapValue {

    /**
     * A number.
     *
     * @param number from the smallest signed to the largest unsigned integer of 64 bits
     */
    record Known(BigInteger number) implements MapValue {

        Known(long number) {
            this(BigInteger.valueOf(number));
        }
    }

    /**
     * No number.
     *
     * @param item the item that the value is of
     * @param status never {@link ItemStatus#FOUND}
     * @param detail the reason why an item that was found has no number; else null
     */
    record Missing(Item item, ItemStatus status, @Nullable String detail) implements MapValue {}
}
