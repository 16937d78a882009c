package dev.offsetd.extractor.testkit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A DIE as another tool prints it: its attributes as they stand in the file, nothing worked out. Only what layouts are
 * made of is kept. Numbers that a DIE does not have are {@link #ABSENT}.
 */
final class RawDie {

    static final long ABSENT = Long.MIN_VALUE;

    /** A value that is there but is no number: an expression, or a reference where a number could be. */
    static final long NOT_A_NUMBER = Long.MIN_VALUE + 1;

    final RawUnit unit;
    final long offset;
    final String tag;
    final List<RawDie> children = new ArrayList<>(0);

    @Nullable
    String name;

    /** {@code DW_AT_type}: offset in the unit's section, or a signature where {@link #typeIsSignature} says so. */
    long type = ABSENT;

    boolean typeIsSignature;
    long specification = ABSENT;

    /** {@code DW_AT_signature}: the DIE is only a stub, its definition is in the type unit of this signature. */
    long signature = ABSENT;

    long byteSize = ABSENT;
    long bitSize = ABSENT;
    long bitOffset = ABSENT;
    long dataBitOffset = ABSENT;
    long memberLocation = ABSENT;
    long upperBound = ABSENT;
    long count = ABSENT;
    long constValue = ABSENT;
    boolean declaration;

    RawDie(RawUnit unit, long offset, String tag) {
        this.unit = unit;
        this.offset = offset;
        this.tag = tag;
    }

    /** Takes a number under the name of its attribute; other attributes are no matter. */
    void put(String attribute, long value) {
        switch (attribute) {
            case "DW_AT_byte_size" -> byteSize = value;
            case "DW_AT_bit_size" -> bitSize = value;
            case "DW_AT_bit_offset" -> bitOffset = value;
            case "DW_AT_data_bit_offset" -> dataBitOffset = value;
            case "DW_AT_data_member_location" -> memberLocation = value;
            case "DW_AT_upper_bound" -> upperBound = value;
            case "DW_AT_count" -> count = value;
            case "DW_AT_const_value" -> constValue = value;
            case "DW_AT_declaration" -> declaration = value != 0;
            case "DW_AT_type" -> type = value;
            case "DW_AT_specification" -> specification = value;
            case "DW_AT_signature" -> signature = value;
            default -> {}
        }
    }

    /** Whether attributes of this name are kept. */
    static boolean keeps(String attribute) {
        return switch (attribute) {
            case "DW_AT_name",
                    "DW_AT_byte_size",
                    "DW_AT_bit_size",
                    "DW_AT_bit_offset",
                    "DW_AT_data_bit_offset",
                    "DW_AT_data_member_location",
                    "DW_AT_upper_bound",
                    "DW_AT_count",
                    "DW_AT_const_value",
                    "DW_AT_declaration",
                    "DW_AT_type",
                    "DW_AT_specification",
                    "DW_AT_signature" -> true;
            default -> false;
        };
    }

    /** Whether DIEs with this tag are kept. */
    static boolean keepsTag(String tag) {
        return tag.endsWith("_type")
                || tag.endsWith("_unit")
                || tag.equals("DW_TAG_member")
                || tag.equals("DW_TAG_inheritance")
                || tag.equals("DW_TAG_enumerator")
                || tag.equals("DW_TAG_typedef");
    }
}
