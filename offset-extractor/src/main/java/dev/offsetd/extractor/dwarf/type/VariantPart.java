package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Variant;
import java.util.ArrayList;
import java.util.List;

/** Discriminant values of variants (DWARF 5 §5.7.10). */
public final class VariantPart {

    private VariantPart() {}

    /** Returns whether the children of a DIE of this tag are members of the type around it. */
    static boolean isPart(int tag) {
        return tag == Dwarf.DW_TAG_variant_part || tag == Dwarf.DW_TAG_variant;
    }

    /**
     * Returns the discriminant values for which the members of a variant exist.
     *
     * @param signed whether the discriminant's type has a sign
     * @param bytes size of the discriminant
     */
    public static Variant variant(DieScratch die, Section info, boolean signed, long bytes)
            throws MalformedInputException {
        List<Variant.ValueRange> values = new ArrayList<>();
        if (die.has(Slot.DISCR_VALUE) && !die.isExpression(Slot.DISCR_VALUE)) {
            long value = extend(signed ? die.getSigned(Slot.DISCR_VALUE) : die.get(Slot.DISCR_VALUE), bytes, signed);
            values.add(new Variant.ValueRange(value, value));
        }
        if (die.isExpression(Slot.DISCR_LIST)) {
            ByteCursor in = info.cursor(die.get(Slot.DISCR_LIST), die.expressionLength(Slot.DISCR_LIST));
            while (in.hasRemaining()) {
                long start = in.offset();
                int descriptor = in.u8();
                if (descriptor != Dwarf.DW_DSC_label && descriptor != Dwarf.DW_DSC_range) {
                    throw in.malformed(
                            start, "discriminant descriptor " + descriptor + "; expected DW_DSC_label or DW_DSC_range");
                }
                long first = signed ? in.sleb128() : in.uleb128();
                long last = descriptor == Dwarf.DW_DSC_label ? first : signed ? in.sleb128() : in.uleb128();
                values.add(new Variant.ValueRange(first, last));
            }
        }
        return new Variant(values, bytes);
    }

    /** Returns a hash of the discriminant values. */
    public static long hash(DieScratch die, Section info) throws MalformedInputException {
        long hash = die.has(Slot.DISCR_VALUE) ? HashMixing.mix(die.get(Slot.DISCR_VALUE) + HashMixing.GOLDEN) : 0;
        if (die.isExpression(Slot.DISCR_LIST)) {
            ByteCursor in = info.cursor(die.get(Slot.DISCR_LIST), die.expressionLength(Slot.DISCR_LIST));
            while (in.hasRemaining()) {
                hash = HashMixing.mix(hash ^ in.u8());
            }
        }
        return hash;
    }

    /** Extends a number of {@code bytes} bytes: producers write the same number with and without a sign. */
    public static long extend(long value, long bytes, boolean signed) {
        if (bytes <= 0 || bytes >= 8) {
            return value;
        }
        int unused = 64 - (int) bytes * 8;
        return signed ? value << unused >> unused : value << unused >>> unused;
    }
}
