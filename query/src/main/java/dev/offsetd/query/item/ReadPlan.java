package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.List;
import java.util.stream.Stream;

/**
 * The way from a variable or type to a value behind pointers.
 *
 * @param pointers the pointers to follow: the first is placed in the variable or type, each other one in what
 *     the one before it points to
 * @param target the value, placed in what the last pointer points to
 */
public record ReadPlan(List<Placement.Fixed> pointers, Placement.Fixed target) {

    public ReadPlan {
        pointers = List.copyOf(pointers);
    }

    /** Returns the size of a pointer of a plan in bytes. */
    public static long pointerSize(Placement.Fixed pointer) {
        return pointer.type().peeled() instanceof PointerShape shape ? shape.byteSize() : TypeShape.UNKNOWN_SIZE;
    }

    /** Returns the first bit of a bit-field in memory order, counted from the byte that the steps lead to. */
    public long bitOffset() {
        return target.bitOffset() - target.offset() * Byte.SIZE;
    }

    /**
     * Returns the plan for a root that starts some bytes later.
     *
     * @throws ArithmeticException if the bit offset overflows
     */
    ReadPlan after(long bytes) {
        return new ReadPlan(
                Stream.concat(
                                Stream.of(moved(pointers.getFirst(), bytes)),
                                pointers.stream().skip(1))
                        .toList(),
                target);
    }

    /**
     * Returns a placement that starts some bytes later.
     *
     * @throws ArithmeticException if the bit offset overflows
     */
    static Placement.Fixed moved(Placement.Fixed placement, long bytes) {
        long bits = Math.multiplyExact(bytes, (long) Byte.SIZE);
        return placement.inside(
                new Placement.Fixed(placement.type(), bits, Member.NOT_A_BIT_FIELD, 0, placement.pastEnd(), null));
    }
}
