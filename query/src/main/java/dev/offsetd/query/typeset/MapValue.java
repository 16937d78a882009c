package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ReadPlan;
import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Value of a name of a {@link NameMap} in a build. */
public sealed interface MapValue {

    /** Returns whether another value is the same number or plan, or both are none. */
    default boolean isSame(@Nullable MapValue other) {
        return switch (this) {
            case Known known -> other instanceof Known same && known.number().equals(same.number());
            case Plan plan -> plan.equals(other);
            case Missing _ -> other instanceof Missing;
        };
    }

    /** Returns the value in a few words. */
    default String text() {
        return switch (this) {
            case Known known -> known.number().toString();
            case Plan plan -> plan.expression();
            case Missing missing -> missing.status().word();
        };
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
     * A read plan.
     *
     * @param symbol the variable that it starts at; null if it starts at an object of a type
     * @param pointers that it follows; none of a member
     * @param offset of the value from where the last pointer leads to, or from the start
     * @param size of the value in bytes
     * @param bitOffset of a bit-field, from the byte at the offset in memory order
     * @param bitSize of a bit-field; 0 if it is none
     */
    record Plan(@Nullable String symbol, List<Pointer> pointers, long offset, long size, long bitOffset, int bitSize)
            implements MapValue {

        public Plan {
            pointers = List.copyOf(pointers);
        }

        /** Returns the plan with the numbers of another one. */
        public static Plan of(@Nullable String symbol, ReadPlan plan) {
            Placement.Fixed target = plan.target();
            return new Plan(
                    symbol,
                    plan.pointers().stream()
                            .map(pointer -> new Pointer(pointer.offset(), ReadPlan.pointerSize(pointer)))
                            .toList(),
                    target.offset(),
                    target.size(),
                    target.isBitField() ? plan.bitOffset() : 0,
                    target.isBitField() ? target.bitSize() : 0);
        }

        /** Returns the plan as a fetch argument of a uprobe has it: {@code +24(+16(base)), 8 bytes}. */
        private String expression() {
            StringBuilder out = new StringBuilder(Objects.requireNonNullElse(symbol, "base"));
            pointers.forEach(pointer -> enclose(out, pointer.offset()));
            enclose(out, offset);
            out.append(", ").append(size).append(" bytes");
            return bitSize == 0 ? out.toString() : out + ", bit " + bitOffset + ", " + bitSize + " bits";
        }

        private static void enclose(StringBuilder inner, long offset) {
            inner.insert(0, (offset < 0 ? "" : "+") + offset + "(").append(')');
        }
    }

    /**
     * A pointer that a plan follows.
     *
     * @param offset of the pointer from where the one before it leads to, or from the start
     * @param size of the pointer in bytes
     */
    record Pointer(long offset, long size) {}

    /**
     * No number.
     *
     * @param item the item that the value is of
     * @param status never {@link ItemStatus#FOUND}
     * @param detail the reason why an item that was found has no number; else null
     */
    record Missing(Item item, ItemStatus status, @Nullable String detail) implements MapValue {}
}
