package dev.offsetd.extractor.layout;

import java.util.List;

/**
 * An array (DWARF 5 §5.5, §5.13).
 *
 * @param element type of one element
 * @param counts elements of each dimension, outermost first; {@link #FLEXIBLE} where the count is open, 0 for GNU
 *     {@code [0]}
 * @param byteSize size in bytes: 0 if a dimension is open or 0; {@link TypeShape#UNKNOWN_SIZE} if the element's is
 */
public record ArrayShape(Spelling declarator, TypeShape element, List<Long> counts, long byteSize)
        implements TypeShape {

    /** The count of a dimension that has none: a flexible array member. */
    public static final long FLEXIBLE = -1;

    public ArrayShape {
        counts = List.copyOf(counts);
        if (counts.isEmpty()) {
            throw new IllegalArgumentException("an array has at least one dimension");
        }
    }

    /** Bytes of an array of these counts; 0 if one is open, {@link TypeShape#UNKNOWN_SIZE} past 2^63. */
    public static long byteSize(long elementBytes, long... counts) {
        if (elementBytes < 0) {
            return UNKNOWN_SIZE;
        }
        long bytes = elementBytes;
        for (long count : counts) {
            if (count <= 0) {
                return 0;
            }
            if (Math.multiplyHigh(bytes, count) != 0 || bytes * count < 0) {
                return UNKNOWN_SIZE;
            }
            bytes *= count;
        }
        return bytes;
    }
}
