package dev.offsetd.extractor.testkit;

import org.jspecify.annotations.Nullable;

/** The tags of the DIEs that layouts are made of. */
enum RawTag {
    UNIT,
    STRUCT,
    UNION,
    CLASS,
    ENUM,
    TYPEDEF,
    QUALIFIER,
    POINTER,
    MEMBER_POINTER,
    FUNCTION,
    ARRAY,
    SUBRANGE,
    MEMBER,
    INHERITANCE,
    ENUMERATOR,
    VARIANT_PART,
    VARIANT,
    OTHER_TYPE;

    /** The one that DWARF names so; null if layouts have nothing of it. */
    static @Nullable RawTag of(String name) {
        return switch (name) {
            case "DW_TAG_structure_type" -> STRUCT;
            case "DW_TAG_union_type" -> UNION;
            case "DW_TAG_class_type", "DW_TAG_interface_type" -> CLASS;
            case "DW_TAG_enumeration_type" -> ENUM;
            case "DW_TAG_typedef" -> TYPEDEF;
            case "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type" -> QUALIFIER;
            case "DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type" -> POINTER;
            case "DW_TAG_ptr_to_member_type" -> MEMBER_POINTER;
            case "DW_TAG_subroutine_type" -> FUNCTION;
            case "DW_TAG_array_type" -> ARRAY;
            case "DW_TAG_subrange_type" -> SUBRANGE;
            case "DW_TAG_member" -> MEMBER;
            case "DW_TAG_inheritance" -> INHERITANCE;
            case "DW_TAG_enumerator" -> ENUMERATOR;
            case "DW_TAG_variant_part" -> VARIANT_PART;
            case "DW_TAG_variant" -> VARIANT;
            default -> name.endsWith("_unit") ? UNIT : name.endsWith("_type") ? OTHER_TYPE : null;
        };
    }
}
