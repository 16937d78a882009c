package dev.offsetd.extractor.testkit;

import org.jspecify.annotations.Nullable;

/** The attributes that layouts are made of. */
enum RawAttribute {
    NAME,
    BYTE_SIZE,
    BIT_SIZE,
    BIT_OFFSET,
    DATA_BIT_OFFSET,
    MEMBER_LOCATION,
    LOWER_BOUND,
    UPPER_BOUND,
    COUNT,
    BIT_STRIDE,
    DESCRIPTOR,
    LANGUAGE,
    CONST_VALUE,
    DISCR_VALUE,
    ENCODING,
    DECLARATION,
    EXTERNAL,
    RUNTIME_CLASS,
    TYPE,
    SPECIFICATION,
    SIGNATURE;

    /** Whether its value is another DIE. */
    boolean isReference() {
        return this == TYPE || this == SPECIFICATION || this == SIGNATURE;
    }

    /** The one that DWARF names so; null if layouts have nothing of it. */
    static @Nullable RawAttribute of(String name) {
        return switch (name) {
            case "DW_AT_name" -> NAME;
            case "DW_AT_byte_size" -> BYTE_SIZE;
            case "DW_AT_bit_size" -> BIT_SIZE;
            case "DW_AT_bit_offset" -> BIT_OFFSET;
            case "DW_AT_data_bit_offset" -> DATA_BIT_OFFSET;
            case "DW_AT_data_member_location" -> MEMBER_LOCATION;
            case "DW_AT_lower_bound" -> LOWER_BOUND;
            case "DW_AT_upper_bound" -> UPPER_BOUND;
            case "DW_AT_count" -> COUNT;
            // readelf 2.40 knows the name of DWARF 2 only.
            case "DW_AT_bit_stride", "DW_AT_stride_size" -> BIT_STRIDE;
            // The elements are somewhere else, and how many there are, too.
            case "DW_AT_data_location", "DW_AT_allocated", "DW_AT_associated" -> DESCRIPTOR;
            case "DW_AT_language" -> LANGUAGE;
            case "DW_AT_const_value" -> CONST_VALUE;
            case "DW_AT_discr_value" -> DISCR_VALUE;
            case "DW_AT_encoding" -> ENCODING;
            case "DW_AT_declaration" -> DECLARATION;
            case "DW_AT_external" -> EXTERNAL;
            case "DW_AT_APPLE_runtime_class" -> RUNTIME_CLASS;
            case "DW_AT_type" -> TYPE;
            // Both say which DIE has what this one lacks.
            case "DW_AT_specification", "DW_AT_abstract_origin" -> SPECIFICATION;
            case "DW_AT_signature" -> SIGNATURE;
            default -> null;
        };
    }
}
