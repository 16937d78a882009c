package dev.offsetd.extractor.layout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An array (DWARF 5 §5.5, §5.13).
 *
 * @param element type of one element
 * @param counts elements of each dimension in the order of the source; {@link #FLEXIBLE} where the count is open,
 *     {@link #RUN_TIME} where only the running program knows it, 0 for GNU {@code [0]}
 * @param byteSize size in bytes: 0 if a dimension is open or 0; {@link TypeShape#UNKNOWN_SIZE} if only the running
 *     program knows it, or if the element's is
 * @param indexing how indexes lead to elements, or null if as in C: from 0, row by row, without gaps
 */
public record ArrayShape(
        Spelling declarator,
        TypeShape element,
        List<Long> counts,
        long byteSize,
        @Nullable Indexing indexing) implements TypeShape {

    /** The count of a dimension that has none: a flexible array member. */
    public static final long FLEXIBLE = -1;

    /** The count of a dimension that the running program computes. */
    public static final long RUN_TIME = -2;

    /** The distance of elements where the debug information does not say it. */
    public static final long UNKNOWN_STRIDE = Long.MIN_VALUE;

    public ArrayShape {
        counts = List.copyOf(counts);
        if (counts.isEmpty()) {
            throw new IllegalArgumentException("an array has at least one dimension");
        }
        if (indexing != null
                && (indexing.lowerBounds.size() != counts.size() || indexing.bitStrides.size() != counts.size())) {
            throw new IllegalArgumentException("bounds and strides of " + indexing.lowerBounds.size() + " and "
                    + indexing.bitStrides.size() + " dimensions; expected " + counts.size());
        }
    }

    /** An array that is indexed as in C. */
    public ArrayShape(Spelling declarator, TypeShape element, List<Long> counts, long byteSize) {
        this(declarator, element, counts, byteSize, null);
    }

    /**
     * How the indexes of an array lead to its elements: the element of indexes i, j is the sum of {@code (i -
     * lowerBounds[0]) * bitStrides[0]} and {@code (j - lowerBounds[1]) * bitStrides[1]} bits behind the start.
     *
     * @param lowerBounds lowest index of each dimension
     * @param bitStrides bits from one element to the next along each dimension, or {@link #UNKNOWN_STRIDE}
     * @param elementBits bits that one element occupies, in a packed array less than its type; {@link
     *     TypeShape#UNKNOWN_SIZE} if unknown
     * @param computed why only the running program knows where the elements are, in a few words; null if the debug
     *     information says it
     */
    public record Indexing(
            List<Long> lowerBounds,
            List<Long> bitStrides,
            long elementBits,
            @Nullable String computed) {

        public Indexing {
            lowerBounds = List.copyOf(lowerBounds);
            bitStrides = List.copyOf(bitStrides);
        }

        private Indexing withoutFirst() {
            return new Indexing(
                    lowerBounds.subList(1, lowerBounds.size()),
                    bitStrides.subList(1, bitStrides.size()),
                    elementBits,
                    computed);
        }
    }

    /** Returns the bytes of an array of these counts; 0 if one is open, {@link TypeShape#UNKNOWN_SIZE} past 2^63. */
    public static long byteSize(long elementBytes, long... counts) {
        if (elementBytes < 0) {
            return UNKNOWN_SIZE;
        }
        long bytes = elementBytes;
        boolean empty = false;
        for (long count : counts) {
            if (count == RUN_TIME) {
                return UNKNOWN_SIZE;
            }
            if (count <= 0) {
                empty = true;
            } else if (!empty) {
                if (Math.multiplyHigh(bytes, count) != 0 || bytes * count < 0) {
                    return UNKNOWN_SIZE;
                }
                bytes *= count;
            }
        }
        return empty ? 0 : bytes;
    }

    /** Returns the lowest index of a dimension. */
    public long lowerBound(int dimension) {
        return indexing == null ? 0 : indexing.lowerBounds.get(dimension);
    }

    /** Returns the bits that one element occupies, or {@link TypeShape#UNKNOWN_SIZE}. */
    public long elementBits() {
        return indexing == null ? bits(element.byteSize()) : indexing.elementBits;
    }

    /** Returns the bits from one element to the next along a dimension, or {@link #UNKNOWN_STRIDE}. */
    public long bitStride(int dimension) {
        if (indexing != null) {
            return indexing.bitStrides.get(dimension);
        }
        long stride = bits(element.byteSize());
        for (int inner = counts.size() - 1; inner > dimension; inner--) {
            stride = product(stride, counts.get(inner));
        }
        return stride < 0 ? UNKNOWN_STRIDE : stride;
    }

    /** Returns what one index leaves of this array: an array of one dimension less, or its element. */
    public TypeShape withoutFirstDimension() {
        if (counts.size() == 1) {
            return element;
        }
        List<Long> rest = counts.subList(1, counts.size());
        Indexing inner = indexing == null ? null : indexing.withoutFirst();
        ArrayShape shape = new ArrayShape(declarator(rest, inner), element, rest, UNKNOWN_SIZE, inner);
        return new ArrayShape(shape.declarator, element, rest, shape.denseBytes(), inner);
    }

    /** Returns the same array of elements of another type, which may be of another size. */
    public ArrayShape withElement(TypeShape other) {
        if (other.byteSize() == element.byteSize()) {
            return new ArrayShape(declarator, other, counts, byteSize, indexing);
        }
        if (indexing == null) {
            long[] plain = counts.stream().mapToLong(Long::longValue).toArray();
            return new ArrayShape(declarator, other, counts, byteSize(other.byteSize(), plain));
        }
        // Where the larger or smaller elements would lie is a guess.
        Indexing unknown = new Indexing(
                indexing.lowerBounds,
                indexing.bitStrides.stream().map(stride -> UNKNOWN_STRIDE).toList(),
                bits(other.byteSize()),
                indexing.computed);
        return new ArrayShape(declarator, other, counts, UNKNOWN_SIZE, unknown);
    }

    /** Returns the same array of elements of the same size, and spelled after them. */
    public ArrayShape spelledAfter(TypeShape other) {
        ArrayShape array = new ArrayShape(declarator, other, counts, byteSize, indexing);
        return new ArrayShape(array.declarator(counts, indexing), other, counts, byteSize, indexing);
    }

    /**
     * Returns the size of an array whose elements fill it, in whatever order; {@link TypeShape#UNKNOWN_SIZE} if there
     * are gaps.
     */
    private long denseBytes() {
        if (indexing == null) {
            return byteSize(
                    element.byteSize(),
                    counts.stream().mapToLong(Long::longValue).toArray());
        }
        if (indexing.computed != null) {
            return UNKNOWN_SIZE;
        }
        List<Integer> dimensions = new ArrayList<>();
        for (int i = 0; i < counts.size(); i++) {
            dimensions.add(i);
        }
        dimensions.sort(Comparator.comparing(indexing.bitStrides::get));
        long filled = indexing.elementBits;
        for (int dimension : dimensions) {
            if (filled < 0 || indexing.bitStrides.get(dimension) != filled) {
                return UNKNOWN_SIZE;
            }
            filled = product(filled, counts.get(dimension));
        }
        return filled < 0 ? UNKNOWN_SIZE : Math.ceilDiv(filled, Byte.SIZE);
    }

    /** Returns the product, or a negative number if a factor is negative or it passes 2^63. */
    private static long product(long bits, long count) {
        return bits < 0 || count < 0 || Math.multiplyHigh(bits, count) != 0 || bits * count < 0 ? -1 : bits * count;
    }

    private static long bits(long bytes) {
        return bytes < 0 || bytes > Long.MAX_VALUE / Byte.SIZE ? UNKNOWN_SIZE : bytes * Byte.SIZE;
    }

    /**
     * Returns a dimension as declarators spell it: {@code [3]}, {@code []} without a count, {@code [1:3]} if not from
     * 0.
     */
    public static String dimension(long lowerBound, long count) {
        if (lowerBound == 0) {
            return count < 0 ? "[]" : "[" + count + "]";
        }
        return "[" + lowerBound + ":" + (count < 0 ? "" : lowerBound + count - 1) + "]";
    }

    /** Returns the declarator of this array with these dimensions instead. */
    private Spelling declarator(List<Long> others, @Nullable Indexing inner) {
        StringBuilder dimensions = new StringBuilder();
        for (int i = 0; i < others.size(); i++) {
            dimensions.append(dimension(inner == null ? 0 : inner.lowerBounds.get(i), others.get(i)));
        }
        return element.declarator().array(dimensions.toString());
    }
}
