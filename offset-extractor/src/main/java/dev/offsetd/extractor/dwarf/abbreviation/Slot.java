package dev.offsetd.extractor.dwarf.abbreviation;

/**
 * Indexes of the captured attributes in {@link DieScratch}. Attributes that are not used for the tag of a DIE are
 * skipped, so most DIEs cost one addition.
 */
public final class Slot {

    public static final int NONE = -1;
    public static final int SIBLING = 0;
    public static final int NAME = 1;
    public static final int TYPE = 2;
    public static final int BYTE_SIZE = 3;
    public static final int BIT_SIZE = 4;
    public static final int BIT_OFFSET = 5;
    public static final int DATA_BIT_OFFSET = 6;
    public static final int MEMBER_LOCATION = 7;
    public static final int DECLARATION = 8;
    public static final int ENCODING = 9;
    public static final int UPPER_BOUND = 10;
    public static final int LOWER_BOUND = 11;
    public static final int COUNT = 12;
    public static final int CONST_VALUE = 13;
    public static final int ALIGNMENT = 14;
    public static final int EXTERNAL = 15;
    public static final int VIRTUALITY = 16;
    public static final int SIGNATURE = 17;
    public static final int ORIGIN = 18;
    public static final int LANGUAGE = 19;
    public static final int STR_OFFSETS_BASE = 20;
    public static final int DWO_NAME = 21;
    public static final int PROTOTYPED = 22;
    public static final int IMPORT = 23;
    public static final int COMP_DIR = 24;
    public static final int DWO_ID = 25;
    public static final int DISCR = 26;
    public static final int DISCR_VALUE = 27;
    public static final int DISCR_LIST = 28;
    public static final int CONTAINING_TYPE = 29;
    public static final int ARTIFICIAL = 30;
    public static final int LOCATION = 31;
    public static final int LINKAGE_NAME = 32;
    public static final int ADDR_BASE = 33;
    public static final int ORDERING = 34;
    public static final int BIT_STRIDE = 35;
    public static final int BYTE_STRIDE = 36;
    /** Any attribute that makes the location or size of a value depend on the running program. */
    public static final int DYNAMIC = 37;

    public static final int LANGUAGE_NAME = 38;
    public static final int ENUM_CLASS = 39;
    public static final int EXPORT_SYMBOLS = 40;
    public static final int EMBEDDED = 41;
    public static final int PRODUCER = 42;
    public static final int RUNTIME_CLASS = 43;
    public static final int ENDIANITY = 44;
    /** A flag of Intel's compilers, before DWARF 3 had {@code DW_AT_endianity}. */
    public static final int OTHER_ENDIAN = 45;

    public static final int ADDRESS_CLASS = 46;

    /** The slots from here on are used by readings of code only. */
    public static final int LOW_PC = 47;

    /** An index into {@code .debug_addr}. */
    public static final int LOW_PC_INDEX = 48;

    /** Bytes from {@code DW_AT_low_pc}. */
    public static final int HIGH_PC = 49;

    public static final int HIGH_PC_ADDRESS = 50;
    public static final int HIGH_PC_INDEX = 51;
    public static final int RANGES = 52;
    /** An index into the offsets of {@code .debug_rnglists}. */
    public static final int RANGES_INDEX = 53;

    public static final int RANGE_LISTS_BASE = 54;
    public static final int RANGES_BASE = 55;
    public static final int LINE_PROGRAM = 56;
    public static final int CALL_FILE = 57;
    public static final int CALL_LINE = 58;
    public static final int CALL_COLUMN = 59;
    public static final int DISCRIMINATOR = 60;
    public static final int SLOTS = 61;

    private Slot() {}

    /** Returns the slot of this attribute in DIEs of this tag, or {@link #NONE} to skip it. */
    static int of(int tag, int attribute) {
        if (attribute == Dwarf.DW_AT_sibling) {
            return SIBLING;
        }
        return switch (tag) {
            case Dwarf.DW_TAG_structure_type,
                    Dwarf.DW_TAG_union_type,
                    Dwarf.DW_TAG_class_type,
                    Dwarf.DW_TAG_interface_type,
                    Dwarf.DW_TAG_typedef,
                    Dwarf.DW_TAG_template_alias,
                    Dwarf.DW_TAG_base_type,
                    Dwarf.DW_TAG_unspecified_type,
                    Dwarf.DW_TAG_pointer_type,
                    Dwarf.DW_TAG_reference_type,
                    Dwarf.DW_TAG_rvalue_reference_type,
                    Dwarf.DW_TAG_ptr_to_member_type,
                    Dwarf.DW_TAG_subroutine_type,
                    Dwarf.DW_TAG_set_type,
                    Dwarf.DW_TAG_file_type,
                    Dwarf.DW_TAG_const_type,
                    Dwarf.DW_TAG_volatile_type,
                    Dwarf.DW_TAG_restrict_type,
                    Dwarf.DW_TAG_atomic_type,
                    Dwarf.DW_TAG_immutable_type,
                    Dwarf.DW_TAG_packed_type,
                    Dwarf.DW_TAG_shared_type,
                    Dwarf.DW_TAG_LLVM_ptrauth_type,
                    Dwarf.DW_TAG_ALTIUM_rom,
                    Dwarf.DW_TAG_upc_shared_type,
                    Dwarf.DW_TAG_upc_strict_type,
                    Dwarf.DW_TAG_upc_relaxed_type -> ofType(attribute);
            case Dwarf.DW_TAG_array_type, Dwarf.DW_TAG_enumeration_type, Dwarf.DW_TAG_string_type ->
                switch (attribute) {
                    case Dwarf.DW_AT_ordering -> ORDERING;
                    case Dwarf.DW_AT_bit_stride -> BIT_STRIDE;
                    case Dwarf.DW_AT_byte_stride -> BYTE_STRIDE;
                    case Dwarf.DW_AT_enum_class -> ENUM_CLASS;
                    case Dwarf.DW_AT_allocated,
                            Dwarf.DW_AT_associated,
                            Dwarf.DW_AT_data_location,
                            Dwarf.DW_AT_rank,
                            Dwarf.DW_AT_string_length -> DYNAMIC;
                    default -> Dwarf.isOfDescriptor(attribute) ? DYNAMIC : ofType(attribute);
                };
            case Dwarf.DW_TAG_member, Dwarf.DW_TAG_inheritance -> ofMember(attribute);
            case Dwarf.DW_TAG_variant_part ->
                switch (attribute) {
                    case Dwarf.DW_AT_discr -> DISCR;
                    case Dwarf.DW_AT_type -> TYPE;
                    default -> NONE;
                };
            case Dwarf.DW_TAG_variant ->
                switch (attribute) {
                    case Dwarf.DW_AT_discr_value -> DISCR_VALUE;
                    case Dwarf.DW_AT_discr_list -> DISCR_LIST;
                    default -> NONE;
                };
            case Dwarf.DW_TAG_enumerator ->
                switch (attribute) {
                    case Dwarf.DW_AT_name -> NAME;
                    case Dwarf.DW_AT_const_value -> CONST_VALUE;
                    default -> NONE;
                };
            case Dwarf.DW_TAG_subrange_type ->
                switch (attribute) {
                    case Dwarf.DW_AT_upper_bound -> UPPER_BOUND;
                    case Dwarf.DW_AT_lower_bound -> LOWER_BOUND;
                    case Dwarf.DW_AT_count -> COUNT;
                    case Dwarf.DW_AT_name -> NAME;
                    case Dwarf.DW_AT_type -> TYPE;
                    case Dwarf.DW_AT_byte_size -> BYTE_SIZE;
                    case Dwarf.DW_AT_bit_stride -> BIT_STRIDE;
                    case Dwarf.DW_AT_byte_stride -> BYTE_STRIDE;
                    case Dwarf.DW_AT_endianity -> ENDIANITY;
                    case Dwarf.DW_AT_INTEL_other_endian -> OTHER_ENDIAN;
                    case Dwarf.DW_AT_threads_scaled -> DYNAMIC;
                    default -> Dwarf.isOfDescriptor(attribute) ? DYNAMIC : NONE;
                };
            case Dwarf.DW_TAG_formal_parameter ->
                switch (attribute) {
                    case Dwarf.DW_AT_type -> TYPE;
                    case Dwarf.DW_AT_artificial -> ARTIFICIAL;
                    default -> NONE;
                };
            case Dwarf.DW_TAG_namespace, Dwarf.DW_TAG_module, Dwarf.DW_TAG_subprogram ->
                switch (attribute) {
                    case Dwarf.DW_AT_name -> NAME;
                    case Dwarf.DW_AT_specification, Dwarf.DW_AT_abstract_origin -> ORIGIN;
                    case Dwarf.DW_AT_export_symbols -> EXPORT_SYMBOLS;
                    default -> NONE;
                };
            case Dwarf.DW_TAG_template_type_parameter -> attribute == Dwarf.DW_AT_type ? TYPE : NONE;
            case Dwarf.DW_TAG_template_value_parameter ->
                switch (attribute) {
                    case Dwarf.DW_AT_type -> TYPE;
                    case Dwarf.DW_AT_const_value -> CONST_VALUE;
                    default -> NONE;
                };
            case Dwarf.DW_TAG_GNU_template_template_param -> attribute == Dwarf.DW_AT_GNU_template_name ? NAME : NONE;
            case Dwarf.DW_TAG_variable -> ofVariable(attribute);
            case Dwarf.DW_TAG_imported_unit -> attribute == Dwarf.DW_AT_import ? IMPORT : NONE;
            case Dwarf.DW_TAG_compile_unit,
                    Dwarf.DW_TAG_partial_unit,
                    Dwarf.DW_TAG_type_unit,
                    Dwarf.DW_TAG_skeleton_unit ->
                switch (attribute) {
                    case Dwarf.DW_AT_name -> NAME;
                    case Dwarf.DW_AT_language -> LANGUAGE;
                    case Dwarf.DW_AT_language_name -> LANGUAGE_NAME;
                    case Dwarf.DW_AT_str_offsets_base -> STR_OFFSETS_BASE;
                    case Dwarf.DW_AT_addr_base, Dwarf.DW_AT_GNU_addr_base -> ADDR_BASE;
                    case Dwarf.DW_AT_dwo_name, Dwarf.DW_AT_GNU_dwo_name -> DWO_NAME;
                    case Dwarf.DW_AT_GNU_dwo_id -> DWO_ID;
                    case Dwarf.DW_AT_comp_dir -> COMP_DIR;
                    case Dwarf.DW_AT_producer -> PRODUCER;
                    default -> NONE;
                };
            default -> NONE;
        };
    }

    /**
     * Returns the slot of this attribute in a reading that needs what DIEs say of code, too.
     *
     * @param form decides between slots of one attribute whose values differ in kind
     */
    static int ofCode(int tag, int attribute, int form) {
        int slot = of(tag, attribute);
        return slot == NONE ? inForm(ofCode(tag, attribute), form) : slot;
    }

    private static int ofCode(int tag, int attribute) {
        return switch (tag) {
            case Dwarf.DW_TAG_compile_unit, Dwarf.DW_TAG_skeleton_unit ->
                switch (attribute) {
                    case Dwarf.DW_AT_stmt_list -> LINE_PROGRAM;
                    case Dwarf.DW_AT_rnglists_base -> RANGE_LISTS_BASE;
                    case Dwarf.DW_AT_GNU_ranges_base -> RANGES_BASE;
                    default -> ofRanges(attribute);
                };
            case Dwarf.DW_TAG_subprogram, Dwarf.DW_TAG_inlined_subroutine ->
                switch (attribute) {
                    case Dwarf.DW_AT_name -> NAME;
                    case Dwarf.DW_AT_abstract_origin -> ORIGIN;
                    case Dwarf.DW_AT_linkage_name, Dwarf.DW_AT_MIPS_linkage_name -> LINKAGE_NAME;
                    case Dwarf.DW_AT_call_file -> CALL_FILE;
                    case Dwarf.DW_AT_call_line -> CALL_LINE;
                    case Dwarf.DW_AT_call_column -> CALL_COLUMN;
                    case Dwarf.DW_AT_GNU_discriminator -> DISCRIMINATOR;
                    default -> ofRanges(attribute);
                };
            default -> NONE;
        };
    }

    private static int ofRanges(int attribute) {
        return switch (attribute) {
            case Dwarf.DW_AT_low_pc -> LOW_PC;
            case Dwarf.DW_AT_high_pc -> HIGH_PC;
            case Dwarf.DW_AT_ranges -> RANGES;
            default -> NONE;
        };
    }

    /** Returns the slot for a value of this form, of an attribute that has this slot otherwise. */
    public static int inForm(int slot, int form) {
        boolean index = form == Dwarf.DW_FORM_addrx
                || form == Dwarf.DW_FORM_GNU_addr_index
                || (form >= Dwarf.DW_FORM_addrx1 && form <= Dwarf.DW_FORM_addrx4);
        return switch (slot) {
            case LOW_PC -> index ? LOW_PC_INDEX : LOW_PC;
            case HIGH_PC -> index ? HIGH_PC_INDEX : form == Dwarf.DW_FORM_addr ? HIGH_PC_ADDRESS : HIGH_PC;
            case RANGES -> form == Dwarf.DW_FORM_rnglistx ? RANGES_INDEX : RANGES;
            default -> slot;
        };
    }

    /** Returns whether values of this slot are strings. */
    static boolean isName(int slot) {
        return slot == NAME || slot == LINKAGE_NAME || slot == DWO_NAME || slot == COMP_DIR || slot == PRODUCER;
    }

    /** Returns whether values of this slot are references to DIEs. */
    static boolean isReference(int slot) {
        return switch (slot) {
            case SIBLING, TYPE, SIGNATURE, ORIGIN, IMPORT, DISCR, CONTAINING_TYPE -> true;
            default -> false;
        };
    }

    private static int ofType(int attribute) {
        return switch (attribute) {
            case Dwarf.DW_AT_name -> NAME;
            case Dwarf.DW_AT_type -> TYPE;
            case Dwarf.DW_AT_byte_size -> BYTE_SIZE;
            case Dwarf.DW_AT_declaration -> DECLARATION;
            case Dwarf.DW_AT_encoding -> ENCODING;
            case Dwarf.DW_AT_alignment -> ALIGNMENT;
            case Dwarf.DW_AT_signature -> SIGNATURE;
            case Dwarf.DW_AT_specification, Dwarf.DW_AT_abstract_origin -> ORIGIN;
            case Dwarf.DW_AT_prototyped -> PROTOTYPED;
            case Dwarf.DW_AT_containing_type -> CONTAINING_TYPE;
            case Dwarf.DW_AT_APPLE_runtime_class -> RUNTIME_CLASS;
            case Dwarf.DW_AT_endianity -> ENDIANITY;
            case Dwarf.DW_AT_INTEL_other_endian -> OTHER_ENDIAN;
            case Dwarf.DW_AT_address_class -> ADDRESS_CLASS;
            default -> NONE;
        };
    }

    private static int ofMember(int attribute) {
        return switch (attribute) {
            case Dwarf.DW_AT_name -> NAME;
            case Dwarf.DW_AT_type -> TYPE;
            case Dwarf.DW_AT_byte_size -> BYTE_SIZE;
            case Dwarf.DW_AT_bit_size -> BIT_SIZE;
            case Dwarf.DW_AT_bit_offset -> BIT_OFFSET;
            case Dwarf.DW_AT_data_bit_offset -> DATA_BIT_OFFSET;
            case Dwarf.DW_AT_data_member_location -> MEMBER_LOCATION;
            case Dwarf.DW_AT_declaration -> DECLARATION;
            case Dwarf.DW_AT_external -> EXTERNAL;
            case Dwarf.DW_AT_virtuality -> VIRTUALITY;
            case Dwarf.DW_AT_go_embedded_field -> EMBEDDED;
            case Dwarf.DW_AT_endianity -> ENDIANITY;
            case Dwarf.DW_AT_INTEL_other_endian -> OTHER_ENDIAN;
            default -> Dwarf.isOfDescriptor(attribute) ? DYNAMIC : NONE;
        };
    }

    private static int ofVariable(int attribute) {
        return switch (attribute) {
            case Dwarf.DW_AT_name -> NAME;
            case Dwarf.DW_AT_type -> TYPE;
            case Dwarf.DW_AT_declaration -> DECLARATION;
            case Dwarf.DW_AT_external -> EXTERNAL;
            case Dwarf.DW_AT_specification, Dwarf.DW_AT_abstract_origin -> ORIGIN;
            case Dwarf.DW_AT_location -> LOCATION;
            case Dwarf.DW_AT_const_value -> CONST_VALUE;
            case Dwarf.DW_AT_linkage_name, Dwarf.DW_AT_MIPS_linkage_name -> LINKAGE_NAME;
            default -> NONE;
        };
    }
}
