package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.ArrayShape;
import java.util.Arrays;

/** Reads the dimensions of an array out of its {@code DW_TAG_subrange_type} children (DWARF 5 §5.5, §5.13). */
final class ArrayBounds {

    private static final int MAX_DIMENSIONS = 64;

    private ArrayBounds() {}

    /**
     * The element counts, outermost first; {@link ArrayShape#FLEXIBLE} for a dimension that does not say, or not as a
     * constant.
     *
     * @param reader behind the array's own DIE, at its first child
     */
    static long[] read(DieReader reader, Abbreviation array, long dieOffset, DwarfTypes dwarf)
            throws ExtractionException {
        if (!array.hasChildren()) {
            return new long[] {ArrayShape.FLEXIBLE};
        }
        long[] counts = new long[4];
        int dimensions = 0;
        while (true) {
            Abbreviation abbreviation = reader.read();
            if (abbreviation == null) {
                break;
            }
            if (abbreviation.tag() == Dwarf.DW_TAG_subrange_type) {
                if (dimensions == MAX_DIMENSIONS) {
                    throw dwarf.exceeded(
                            dieOffset, "maxMembersPerType", MAX_DIMENSIONS, "an array has more dimensions");
                }
                if (dimensions == counts.length) {
                    counts = Arrays.copyOf(counts, dimensions * 2);
                }
                counts[dimensions++] = count(reader.die);
            }
            reader.skipChildren(abbreviation);
        }
        return dimensions == 0 ? new long[] {ArrayShape.FLEXIBLE} : Arrays.copyOf(counts, dimensions);
    }

    private static long count(DieScratch die) {
        if (die.has(Slot.COUNT)) {
            return die.isExpression(Slot.COUNT) || die.get(Slot.COUNT) < 0 || die.isAllOnes(Slot.COUNT)
                    ? ArrayShape.FLEXIBLE
                    : die.get(Slot.COUNT);
        }
        if (!die.has(Slot.UPPER_BOUND) || die.isExpression(Slot.UPPER_BOUND) || die.isExpression(Slot.LOWER_BOUND)) {
            return ArrayShape.FLEXIBLE;
        }
        // GCC writes the upper bound of a GNU [0] array as -1, in a form without sign.
        long upper = die.isAllOnes(Slot.UPPER_BOUND) ? -1 : die.get(Slot.UPPER_BOUND);
        long count = upper - die.get(Slot.LOWER_BOUND, 0) + 1;
        return count < 0 ? ArrayShape.FLEXIBLE : count;
    }
}
