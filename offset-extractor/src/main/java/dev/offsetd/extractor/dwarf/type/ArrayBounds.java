package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DieAddress;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Languages;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.ArrayShape.Indexing;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The dimensions of an array, read out of its {@code DW_TAG_subrange_type} children (DWARF 5 §5.5, §5.13): how many
 * elements each has, from which index on, and how far they lie from one another.
 */
public final class ArrayBounds {

    private static final int MAX_DIMENSIONS = 64;

    /** Reason for elements that are elsewhere, or not always allocated. */
    private static final String DESCRIPTOR = "array descriptor";

    private static final String BOUNDS = "bounds of the array";

    private static final int DW_ORD_col_major = 1;

    private static final long NO_STRIDE = Long.MAX_VALUE;

    private final DwarfUnits dwarf;
    private final DieReaders readers;
    private final Language language;

    private long[] counts = new long[2];
    private long[] lowerBounds = new long[2];

    /** Strides of the dimensions in bits, or {@link #NO_STRIDE}. */
    private long[] strides = new long[2];

    private int dimensions;
    private boolean columnMajor;
    private long elementStride = NO_STRIDE;
    private @Nullable String computed;

    private ArrayBounds(DieReaders readers, Language language) {
        this.dwarf = readers.dwarf();
        this.readers = readers;
        this.language = language;
    }

    /**
     * Returns the dimensions of the array whose DIE was read last.
     *
     * @param reader behind the array's own DIE, at its first child
     * @param readers for the types of indexes
     * @param language gives the default lower bound and element order
     */
    public static ArrayBounds read(
            DieReader reader, Abbreviation array, long dieAddress, DieReaders readers, Language language)
            throws ExtractionException {
        ArrayBounds bounds = new ArrayBounds(readers, language);
        DieScratch die = reader.die;
        bounds.columnMajor = die.has(Slot.ORDERING)
                ? die.get(Slot.ORDERING, 0) == DW_ORD_col_major
                : Languages.isColumnMajor(language);
        bounds.elementStride = stride(die);
        bounds.computed = die.has(Slot.DYNAMIC) ? DESCRIPTOR : null;
        if (array.hasChildren()) {
            bounds.readDimensions(reader, dieAddress);
        }
        if (bounds.dimensions == 0) {
            bounds.addOpen(0, NO_STRIDE);
        }
        return bounds;
    }

    private void readDimensions(DieReader reader, long dieAddress) throws ExtractionException {
        while (true) {
            Abbreviation abbreviation = reader.read();
            if (abbreviation == null) {
                return;
            }
            switch (abbreviation.tag()) {
                case Dwarf.DW_TAG_subrange_type -> addSubrange(reader, abbreviation);
                case Dwarf.DW_TAG_enumeration_type -> {
                    long own = stride(reader.die);
                    IndexRange range = enumerators(reader, abbreviation);
                    add(range == null ? ArrayShape.RUN_TIME : range.count(), range == null ? 0 : range.lower, own);
                }
                case Dwarf.DW_TAG_generic_subrange -> {
                    // It stands for a number of dimensions known at run time (DWARF 5 §5.14).
                    computed = DESCRIPTOR;
                    add(ArrayShape.RUN_TIME, 0, NO_STRIDE);
                    reader.skipChildren(abbreviation);
                }
                default -> reader.skipChildren(abbreviation);
            }
            if (dimensions > MAX_DIMENSIONS) {
                throw new UnsupportedInputException(
                        dwarf.section(dieAddress).name(),
                        DieAddress.offset(dieAddress),
                        "an array has more than " + MAX_DIMENSIONS + " dimensions");
            }
        }
    }

    private void addSubrange(DieReader reader, Abbreviation abbreviation) throws ExtractionException {
        DieScratch die = reader.die;
        long own = stride(die);
        if (die.has(Slot.DYNAMIC)) {
            computed = computed == null ? DESCRIPTOR : computed;
        }
        if (die.isExpression(Slot.LOWER_BOUND)) {
            computed = computed == null ? BOUNDS : computed;
            add(ArrayShape.RUN_TIME, 0, own);
            reader.skipChildren(abbreviation);
            return;
        }
        boolean hasLower = die.has(Slot.LOWER_BOUND);
        boolean counted = die.has(Slot.COUNT);
        boolean atRunTime = die.isExpression(counted ? Slot.COUNT : Slot.UPPER_BOUND);
        boolean open = !counted && !die.has(Slot.UPPER_BOUND);
        long typeDie = die.get(Slot.TYPE, 0);
        Bound from = Bound.of(die, Slot.LOWER_BOUND);
        Bound to = Bound.of(die, counted ? Slot.COUNT : Slot.UPPER_BOUND);
        reader.skipChildren(abbreviation);
        long behind = reader.address();
        int addressSize = reader.header().addressSize();
        long lower = hasLower ? value(from, typeDie, addressSize) : Languages.lowerBound(language);
        if (atRunTime) {
            add(ArrayShape.RUN_TIME, lower, own);
        } else if (counted) {
            long count = value(to, typeDie, addressSize);
            add(count < 0 ? ArrayShape.FLEXIBLE : count, lower, own);
        } else if (!open) {
            add(count(lower, value(to, typeDie, addressSize)), lower, own);
        } else {
            // A dimension that only names the type of its indexes has all of them, where languages have such types.
            IndexRange range = Languages.lowerBound(language) == 0 ? null : rangeOf(typeDie, addressSize);
            if (range == null) {
                addOpen(lower, own);
            } else {
                long first = hasLower ? lower : range.lower;
                add(count(first, range.upper), first, own);
            }
        }
        reader.seek(behind);
    }

    /** Adds a dimension without a count: a flexible array in C, and incomplete debug information elsewhere. */
    private void addOpen(long lower, long own) {
        if (Languages.lowerBound(language) == 0) {
            add(ArrayShape.FLEXIBLE, lower, own);
        } else {
            computed = computed == null ? BOUNDS : computed;
            add(ArrayShape.RUN_TIME, lower, own);
        }
    }

    private long count(long lower, long upper) {
        long count = upper - lower + 1;
        if (upper >= lower) {
            // The indexes may be all 64-bit numbers.
            return count > 0 ? count : ArrayShape.RUN_TIME;
        }
        // Where indexes are checked, bounds in the wrong order are those of an empty array.
        return count == 0 || Languages.lowerBound(language) == 1 ? 0 : ArrayShape.FLEXIBLE;
    }

    private void add(long count, long lowerBound, long stride) {
        if (dimensions == counts.length) {
            counts = Arrays.copyOf(counts, dimensions * 2);
            lowerBounds = Arrays.copyOf(lowerBounds, dimensions * 2);
            strides = Arrays.copyOf(strides, dimensions * 2);
        }
        counts[dimensions] = count;
        lowerBounds[dimensions] = lowerBound;
        strides[dimensions] = stride;
        dimensions++;
    }

    /** A captured number. If its form does not state a sign, the type of the indexes does. */
    private record Bound(long value, int fixedBytes) {

        static Bound of(DieScratch die, int slot) {
            return new Bound(die.get(slot, 0), die.fixedBytes(slot));
        }

        /** Returns whether the highest bit may be a sign. */
        boolean mayBeNegative() {
            return fixedBytes > 0 && fixedBytes < Long.BYTES && value >>> (fixedBytes * Byte.SIZE - 1) == 1;
        }

        long negative() {
            return value - (1L << (fixedBytes * Byte.SIZE));
        }
    }

    /**
     * Returns the value of a bound. GCC wrote the upper bound of {@code [0]} as -1 in as many bytes as an address has,
     * and no array has 2^32 elements where addresses have 32 bits. Other numbers are negative if a signed index of as
     * many bytes could not hold them otherwise.
     */
    private long value(Bound bound, long typeDie, int addressSize) throws ExtractionException {
        if (!bound.mayBeNegative() || (bound.fixedBytes < Integer.BYTES && Languages.lowerBound(language) == 0)) {
            return bound.value;
        }
        boolean allOnes = bound.negative() == -1;
        return (allOnes && bound.fixedBytes == addressSize) || isSigned(typeDie, bound.fixedBytes)
                ? bound.negative()
                : bound.value;
    }

    /** Returns whether indexes of this type have a sign and this size. */
    private boolean isSigned(long typeDie, int bytes) throws ExtractionException {
        long followedDie = typeDie;
        for (int hops = 0; followedDie > 0 && hops <= dwarf.limits().maxTypeDepth(); hops++) {
            DieReader reader = readers.at(followedDie);
            int tag = reader.require().tag();
            if (tag == Dwarf.DW_TAG_base_type) {
                long encoding = reader.die.get(Slot.ENCODING, 0);
                return (encoding == Dwarf.DW_ATE_signed || encoding == Dwarf.DW_ATE_signed_char)
                        && TypeSize.ofDie(reader.die) == bytes;
            }
            boolean passes = Dwarf.isAlias(tag) || tag == Dwarf.DW_TAG_subrange_type;
            followedDie = passes ? reader.die.get(Slot.TYPE, 0) : 0;
        }
        return false;
    }

    /** The lowest and the highest index. */
    private record IndexRange(long lower, long upper) {

        long count() {
            long count = upper - lower + 1;
            return count > 0 ? count : ArrayShape.RUN_TIME;
        }
    }

    /** Returns all values of a type, if it is an enumeration or a subrange; else null. */
    private @Nullable IndexRange rangeOf(long typeDie, int addressSize) throws ExtractionException {
        long followedDie = typeDie;
        for (int hops = 0; followedDie > 0 && hops <= dwarf.limits().maxTypeDepth(); hops++) {
            DieReader reader = readers.at(followedDie);
            Abbreviation abbreviation = reader.require();
            int tag = abbreviation.tag();
            DieScratch die = reader.die;
            long next = die.get(Slot.TYPE, 0);
            if (die.has(Slot.SIGNATURE)) {
                followedDie = die.get(Slot.SIGNATURE);
            } else if (tag == Dwarf.DW_TAG_enumeration_type) {
                return enumerators(reader, abbreviation);
            } else if (tag == Dwarf.DW_TAG_subrange_type && die.has(Slot.UPPER_BOUND)) {
                if (die.isExpression(Slot.UPPER_BOUND) || die.isExpression(Slot.LOWER_BOUND)) {
                    return null;
                }
                boolean hasLower = die.has(Slot.LOWER_BOUND);
                Bound from = Bound.of(die, Slot.LOWER_BOUND);
                Bound to = Bound.of(die, Slot.UPPER_BOUND);
                long lower = hasLower ? value(from, next, addressSize) : Languages.lowerBound(language);
                return new IndexRange(lower, value(to, next, addressSize));
            } else {
                followedDie = Dwarf.isAlias(tag) || tag == Dwarf.DW_TAG_subrange_type ? next : 0;
            }
        }
        return null;
    }

    /** Returns the values of the enumeration read last; reads all its children. Null if it has none. */
    private @Nullable IndexRange enumerators(DieReader reader, Abbreviation enumeration) throws ExtractionException {
        IndexRange range = null;
        int members = 0;
        while (enumeration.hasChildren()) {
            Abbreviation next = reader.read();
            if (next == null) {
                break;
            }
            if (next.tag() == Dwarf.DW_TAG_enumerator && !reader.die.isExpression(Slot.CONST_VALUE)) {
                if (++members > dwarf.limits().maxMembersPerType()) {
                    throw dwarf.tooManyMembers(reader.address());
                }
                long value = reader.die.get(Slot.CONST_VALUE, 0);
                range = range == null
                        ? new IndexRange(value, value)
                        : new IndexRange(Math.min(range.lower, value), Math.max(range.upper, value));
            }
            reader.skipChildren(next);
        }
        return range;
    }

    /** Returns the distance of elements that an array or a dimension of it names, in bits. */
    private static long stride(DieScratch die) {
        if (die.isExpression(Slot.BIT_STRIDE) || die.isExpression(Slot.BYTE_STRIDE)) {
            return ArrayShape.UNKNOWN_STRIDE;
        }
        if (die.has(Slot.BIT_STRIDE)) {
            return die.getSigned(Slot.BIT_STRIDE);
        }
        if (die.has(Slot.BYTE_STRIDE)) {
            long bytes = die.getSigned(Slot.BYTE_STRIDE);
            return Math.abs(bytes) > Long.MAX_VALUE / Byte.SIZE ? ArrayShape.UNKNOWN_STRIDE : bytes * Byte.SIZE;
        }
        return NO_STRIDE;
    }

    long[] counts() {
        return dimensions == counts.length ? counts : Arrays.copyOf(counts, dimensions);
    }

    /** Returns the dimensions as declarators spell them, outermost first. */
    public String spelling() {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < dimensions; i++) {
            if (computed == null) {
                out.append(ArrayShape.dimension(lowerBounds[i], counts[i]));
            } else {
                out.append("[:]");
            }
        }
        return out.toString();
    }

    /** Returns whether the array is indexed as in C, whatever its elements. */
    boolean isPlain() {
        if (computed != null || elementStride != NO_STRIDE || (columnMajor && dimensions > 1)) {
            return false;
        }
        for (int i = 0; i < dimensions; i++) {
            if (lowerBounds[i] != 0 || strides[i] != NO_STRIDE) {
                return false;
            }
        }
        return true;
    }

    /** Adds the counts to a key, and the bounds and strides unless they are those of C. */
    public void addTo(LongConsumer key) {
        for (int i = 0; i < dimensions; i++) {
            key.accept(counts[i]);
        }
        if (!isPlain()) {
            key.accept(computed == null ? 0 : computed.hashCode());
            key.accept(columnMajor ? 1 : 0);
            key.accept(elementStride);
            for (int i = 0; i < dimensions; i++) {
                key.accept(lowerBounds[i]);
                key.accept(strides[i]);
            }
        }
    }

    /** Returns the size of the array in bytes, see {@link ArrayShape#byteSize()}. */
    public long byteSize(long elementBytes) {
        if (computed != null) {
            return TypeShape.UNKNOWN_SIZE;
        }
        if (isPlain() || noStrides()) {
            return ArrayShape.byteSize(elementBytes, counts());
        }
        long[] distances = distances(elementBytes);
        long bits = 0;
        for (int i = 0; i < dimensions; i++) {
            if (counts[i] == 0) {
                return 0;
            }
            long all = counts[i] < 0 || distances[i] < 0 ? -1 : times(distances[i], counts[i]);
            if (all < 0) {
                return TypeShape.UNKNOWN_SIZE;
            }
            bits = Math.max(bits, all);
        }
        return Math.ceilDiv(bits, Byte.SIZE);
    }

    private boolean noStrides() {
        return elementStride == NO_STRIDE
                && Arrays.stream(strides, 0, dimensions).allMatch(bits -> bits == NO_STRIDE);
    }

    /** Bits from one element to the next along each dimension. */
    private long[] distances(long elementBytes) {
        long[] distances = new long[dimensions];
        long next = elementStride != NO_STRIDE ? elementStride : bits(elementBytes);
        for (int i = 0; i < dimensions; i++) {
            int at = columnMajor ? i : dimensions - 1 - i;
            distances[at] = strides[at] != NO_STRIDE ? strides[at] : next;
            next = distances[at] == ArrayShape.UNKNOWN_STRIDE || counts[at] < 0
                    ? ArrayShape.UNKNOWN_STRIDE
                    : times(Math.abs(distances[at]), counts[at]);
        }
        return distances;
    }

    /** Returns the product; {@link ArrayShape#UNKNOWN_STRIDE} past 2^63. */
    private static long times(long bits, long count) {
        return Math.multiplyHigh(bits, count) != 0 || bits * count < 0 ? ArrayShape.UNKNOWN_STRIDE : bits * count;
    }

    private static long bits(long bytes) {
        return bytes < 0 || bytes > Long.MAX_VALUE / Byte.SIZE ? ArrayShape.UNKNOWN_STRIDE : bytes * Byte.SIZE;
    }

    /**
     * Returns the array.
     *
     * @param declaredBytes its size as its own DIE says it, or {@link TypeShape#UNKNOWN_SIZE}
     */
    public ArrayShape shape(Spelling spelling, TypeShape element, long declaredBytes) {
        long bytes = declaredBytes >= 0 && computed == null ? declaredBytes : byteSize(element.byteSize());
        List<Long> boxed = boxed(counts());
        return isPlain()
                ? new ArrayShape(spelling, element, boxed, bytes)
                : new ArrayShape(spelling, element, boxed, bytes, indexing(element.byteSize()));
    }

    private Indexing indexing(long elementBytes) {
        long[] distances = distances(elementBytes);
        long elementBits = bits(elementBytes);
        long occupied = elementBits;
        for (long distance : distances) {
            if (distance != ArrayShape.UNKNOWN_STRIDE && distance != 0) {
                occupied = Math.min(occupied, Math.abs(distance));
            }
        }
        return new Indexing(
                boxed(Arrays.copyOf(lowerBounds, dimensions)),
                boxed(distances),
                elementBits < 0 ? TypeShape.UNKNOWN_SIZE : occupied,
                computed);
    }

    private static List<Long> boxed(long[] values) {
        List<Long> boxed = new ArrayList<>(values.length);
        for (long value : values) {
            boxed.add(value);
        }
        return boxed;
    }
}
