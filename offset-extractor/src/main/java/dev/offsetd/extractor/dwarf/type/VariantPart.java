package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Variant;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Discriminant values of variants (DWARF 5 §5.7.10). */
public final class VariantPart {

    /** Most bytes of a discriminant; no language has integers of more. */
    private static final int MAX_BYTES = 64;

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
        if (die.isExpression(Slot.DISCR_VALUE)) {
            BigInteger value = block(info, die.get(Slot.DISCR_VALUE), die.expressionLength(Slot.DISCR_VALUE), signed);
            value = isNarrow(bytes) ? BigInteger.valueOf(extend(value.longValue(), bytes, signed)) : value;
            values.add(new Variant.ValueRange(value, value));
        } else if (die.has(Slot.DISCR_VALUE)) {
            BigInteger value = BigInteger.valueOf(
                    extend(signed ? die.getSigned(Slot.DISCR_VALUE) : die.get(Slot.DISCR_VALUE), bytes, signed));
            if (!signed && bytes > Long.BYTES && bytes <= MAX_BYTES && die.isNegative(Slot.DISCR_VALUE)) {
                // A block of 16 bytes whose upper half is all ones, which the reader takes for a sign.
                value = value.add(BigInteger.ONE.shiftLeft((int) bytes * Byte.SIZE));
            }
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
                BigInteger first = number(in, signed, bytes);
                BigInteger last = descriptor == Dwarf.DW_DSC_label ? first : number(in, signed, bytes);
                values.add(new Variant.ValueRange(first, last));
            }
        }
        return new Variant(values, bytes);
    }

    /** Returns a number of a block, which LLVM writes for discriminants of more than 64 bits. */
    private static BigInteger block(Section info, long offset, long length, boolean signed)
            throws MalformedInputException {
        ByteCursor in = info.cursor(offset, length);
        if (length < 1 || length > MAX_BYTES) {
            throw in.malformed(offset, "discriminant value of " + length + " bytes; expected 1 to " + MAX_BYTES);
        }
        byte[] number = new byte[(int) length];
        for (int i = 0; i < number.length; i++) {
            number[info.byteOrder() == ByteOrder.BIG_ENDIAN ? i : number.length - 1 - i] = (byte) in.u8();
        }
        return signed ? new BigInteger(number) : new BigInteger(1, number);
    }

    /** Returns a number of a list of discriminants, which may be of more than 64 bits. */
    private static BigInteger number(ByteCursor in, boolean signed, long bytes) throws MalformedInputException {
        if (isNarrow(bytes)) {
            return BigInteger.valueOf(signed ? in.sleb128() : in.uleb128());
        }
        long start = in.offset();
        BigInteger value = BigInteger.ZERO;
        int bits = 0;
        int last;
        do {
            if (bits > MAX_BYTES * Byte.SIZE) {
                throw in.malformed(start, "LEB128 number of more than " + MAX_BYTES + " bytes");
            }
            last = in.u8();
            value = value.or(BigInteger.valueOf(last & 0x7f).shiftLeft(bits));
            bits += 7;
        } while (last >= 0x80);
        return signed && (last & 0x40) != 0 ? value.subtract(BigInteger.ONE.shiftLeft(bits)) : value;
    }

    private static boolean isNarrow(long bytes) {
        return bytes > 0 && bytes <= Long.BYTES;
    }

    /** Returns a hash of the discriminant values. */
    public static long hash(DieScratch die, Section info) throws MalformedInputException {
        long hash = die.has(Slot.DISCR_VALUE) && !die.isExpression(Slot.DISCR_VALUE)
                ? HashMixing.mix(die.get(Slot.DISCR_VALUE) + HashMixing.GOLDEN)
                : 0;
        return hashBlock(Slot.DISCR_LIST, die, info, hashBlock(Slot.DISCR_VALUE, die, info, hash));
    }

    private static long hashBlock(int slot, DieScratch die, Section info, long before) throws MalformedInputException {
        long hash = before;
        if (die.isExpression(slot)) {
            ByteCursor in = info.cursor(die.get(slot), die.expressionLength(slot));
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
