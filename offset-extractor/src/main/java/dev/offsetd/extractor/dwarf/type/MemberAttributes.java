package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a member or base class (DWARF 5 §5.7.3, §5.7.6; {@code DW_AT_bit_offset} DWARF 3 §5.5.4), copied out of
 * {@link DieScratch}, which reading the member's type overwrites.
 */
public final class MemberAttributes {

    private static final int DW_VIRTUALITY_virtual = 1;

    /** Bits of the largest scalar except {@code _BitInt}. */
    private static final int MAX_SCALAR_BITS = 128;

    /**
     * Mark of a bit-field that does not state its storage unit: the unit is that of its type. LLVM states units of less than a
     * byte as 0.
     */
    private static final long STORAGE_OF_TYPE = -1;

    /** Bytes whose bits, and those of a member there, can still be counted. */
    private static final long MAX_LOCATION = Long.MAX_VALUE / 16;

    public boolean baseClass;

    /** Whether the members of its type are promoted to the type that it is in, as Go does. */
    public boolean embedded;

    public long nameRef;
    /** DIE of the type, 0 for none, {@link DieScratch#UNRESOLVED} for one in another file. */
    public long typeDie;
    /** Why the location is not constant, or empty. */
    public String computed = "";

    /** Why the reader cannot tell the location, or empty. */
    public String unsupported = "";

    /** Byte order that the member itself states, if it is not that of the file; else null. */
    public @Nullable ByteOrder byteOrder;

    public int bitSize;
    private long storageBytes;
    private long locationBytes;
    private boolean hasDataBitOffset;
    private long dataBitOffset;
    private boolean hasBitOffset;
    private long bitOffset;

    /** Returns whether the tag is of a member or base class. */
    static boolean isMember(int tag) {
        return tag == Dwarf.DW_TAG_member || tag == Dwarf.DW_TAG_inheritance;
    }

    /** Returns whether the DIE is a member of the objects of its class: static members of C++ are not. */
    static boolean isInObject(int tag, DieScratch die) {
        return tag == Dwarf.DW_TAG_inheritance
                || (tag == Dwarf.DW_TAG_member && !die.isSet(Slot.EXTERNAL) && !die.isSet(Slot.DECLARATION));
    }

    /** Reads the {@linkplain Abbreviation#isPlainMember plain member} whose abbreviation was read last. */
    void readAhead(Abbreviation abbreviation, DieReader reader) throws ExtractionException {
        baseClass = false;
        embedded = false;
        nameRef = reader.nameAhead(abbreviation);
        typeDie = reader.typeAhead(abbreviation);
        bitSize = Member.NOT_A_BIT_FIELD;
        storageBytes = STORAGE_OF_TYPE;
        hasDataBitOffset = false;
        hasBitOffset = false;
        computed = "";
        unsupported = "";
        byteOrder = null;
        locationBytes = reader.locationAhead(abbreviation);
    }

    void copy(int tag, DieScratch die, Section info) throws MalformedInputException {
        baseClass = tag == Dwarf.DW_TAG_inheritance;
        embedded = die.isSet(Slot.EMBEDDED);
        nameRef = die.get(Slot.NAME, NameRef.NONE);
        typeDie = die.get(Slot.TYPE, 0);
        bitSize = Member.NOT_A_BIT_FIELD;
        unsupported = ByteOrders.isUnknown(die)
                ? "unsupported DW_AT_endianity"
                : die.has(Slot.DYNAMIC) ? "unsupported: a descriptor of its vendor's Fortran or C" : "";
        byteOrder = ByteOrders.ofDie(die, info.byteOrder() == ByteOrder.BIG_ENDIAN);
        if (die.has(Slot.BIT_SIZE) && !die.isExpression(Slot.BIT_SIZE)) {
            long bits = die.get(Slot.BIT_SIZE);
            if (bits < 0 || bits > Integer.MAX_VALUE) {
                unsupported = "DW_AT_bit_size is " + Long.toUnsignedString(bits);
            } else {
                bitSize = (int) bits;
            }
        }
        storageBytes = die.get(Slot.BYTE_SIZE, STORAGE_OF_TYPE);
        hasDataBitOffset = die.has(Slot.DATA_BIT_OFFSET);
        dataBitOffset = die.get(Slot.DATA_BIT_OFFSET, 0);
        hasBitOffset = die.has(Slot.BIT_OFFSET);
        bitOffset = die.get(Slot.BIT_OFFSET, 0);
        computed = "";
        locationBytes = 0;
        if (baseClass && die.get(Slot.VIRTUALITY, 0) == DW_VIRTUALITY_virtual) {
            computed = "virtual base class";
        } else if (die.isExpression(Slot.DATA_BIT_OFFSET)
                || die.isExpression(Slot.BIT_OFFSET)
                || die.isExpression(Slot.BIT_SIZE)) {
            computed = "location expression";
        } else if (die.isExpression(Slot.MEMBER_LOCATION)) {
            locationBytes = Expression.constantOffset(
                    info, die.get(Slot.MEMBER_LOCATION), die.expressionLength(Slot.MEMBER_LOCATION));
            computed = locationBytes == Expression.COMPUTED ? "location expression" : "";
        } else {
            locationBytes = die.get(Slot.MEMBER_LOCATION, 0);
        }
        // LLVM makes a bit-field of a member whose size is not that of its type, and counts it from a storage unit that
        // may begin before the struct: the number wraps around.
        if (computed.isEmpty() && bitSize == Member.NOT_A_BIT_FIELD && isPastAnyObject()) {
            unsupported = "DW_AT_data_member_location is " + Long.toUnsignedString(locationBytes)
                    + "; no object is that large";
        }
        if (storageBytes > MAX_LOCATION || bitOffset < -MAX_LOCATION || bitOffset > MAX_LOCATION) {
            unsupported = "DW_AT_byte_size is " + Long.toUnsignedString(storageBytes) + " and DW_AT_bit_offset "
                    + bitOffset + "; no object is that large";
        }
        if (hasDataBitOffset && Long.divideUnsigned(dataBitOffset, Byte.SIZE) > MAX_LOCATION) {
            unsupported =
                    "DW_AT_data_bit_offset is " + Long.toUnsignedString(dataBitOffset) + "; no object is that large";
        }
    }

    /** Returns why the place of a bit-field does not follow from its attributes, see {@link #isPlacedAt}. */
    public String misplaced() {
        return hasDataBitOffset
                ? "DW_AT_data_bit_offset is " + dataBitOffset + "; the type has no " + bitSize + " bits there"
                : "the place of these " + bitSize + " bits does not follow from DW_AT_bit_offset";
    }

    private boolean isPastAnyObject() {
        return locationBytes < -MAX_LOCATION || locationBytes > MAX_LOCATION;
    }

    /**
     * Returns whether the place of a bit-field follows from its attributes. For "bit-fields" of arrays and structs, or of
     * more bits than a scalar has, LLVM states a storage unit in whole bytes that need not be the one it counted from: what
     * comes out is then not at a byte, or not in the struct.
     *
     * @param place {@link #bitOffset(long, boolean)} of it
     * @param type of the member
     * @param containerBytes size of the containing type, or {@link TypeShape#UNKNOWN_SIZE}
     */
    public boolean isPlacedAt(long place, TypeShape type, long containerBytes) {
        long typeBytes = type.byteSize();
        boolean scalar = !(type.peeled() instanceof AggregateShape || type.peeled() instanceof ArrayShape);
        boolean wide = bitSize > MAX_SCALAR_BITS && Math.ceilDiv(bitSize, Byte.SIZE) > typeBytes;
        if (bitSize == Member.NOT_A_BIT_FIELD || (scalar && !wide && !isPastAnyObject())) {
            return bitSize == Member.NOT_A_BIT_FIELD || place >= 0;
        }
        boolean inside = containerBytes == TypeShape.UNKNOWN_SIZE
                || (place >= 0 && Math.ceilDiv(place + bitSize, (long) Byte.SIZE) <= containerBytes);
        boolean counted = hasDataBitOffset || !hasBitOffset || bitSize <= storageBytes(typeBytes) * Byte.SIZE;
        return inside && (counted || place % Byte.SIZE == 0);
    }

    /**
     * Bits from the start of the containing type to the first bit of the member in memory order.
     *
     * @param typeBytes size of the member's type, or {@link TypeShape#UNKNOWN_SIZE}
     */
    public long bitOffset(long typeBytes, boolean bigEndian) {
        if (hasDataBitOffset) {
            return dataBitOffset;
        }
        long location = locationBytes * 8;
        if (!hasBitOffset || bitSize == Member.NOT_A_BIT_FIELD) {
            return location;
        }
        // DW_AT_bit_offset (DWARF 2 and 3, and GCC up to version 10) counts from the most significant bit of the
        // storage unit, which is its last bit in memory on little-endian machines. It is negative for a packed
        // bit-field that reaches past its storage unit.
        return bigEndian ? location + bitOffset : location + storageBytes(typeBytes) * 8 - bitOffset - bitSize;
    }

    /** Bytes of the storage unit of a bit-field. */
    public long storageBytes(long typeBytes) {
        return storageBytes > STORAGE_OF_TYPE ? storageBytes : Math.max(typeBytes, 0);
    }
}
