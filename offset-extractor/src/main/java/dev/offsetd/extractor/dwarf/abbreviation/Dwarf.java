package dev.offsetd.extractor.dwarf.abbreviation;

import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.TypeKind;

/** Constants of the DWARF 5 standard, spelled as there (§7.5.3 to §7.12), and the GNU extensions that are read. */
public final class Dwarf {

    public static final int DW_UT_compile = 0x01;
    public static final int DW_UT_type = 0x02;
    public static final int DW_UT_partial = 0x03;
    public static final int DW_UT_skeleton = 0x04;
    public static final int DW_UT_split_compile = 0x05;
    public static final int DW_UT_split_type = 0x06;

    public static final int DW_TAG_array_type = 0x01;
    public static final int DW_TAG_class_type = 0x02;
    public static final int DW_TAG_enumeration_type = 0x04;
    public static final int DW_TAG_formal_parameter = 0x05;
    public static final int DW_TAG_lexical_block = 0x0b;
    public static final int DW_TAG_member = 0x0d;
    public static final int DW_TAG_pointer_type = 0x0f;
    public static final int DW_TAG_reference_type = 0x10;
    public static final int DW_TAG_compile_unit = 0x11;
    public static final int DW_TAG_string_type = 0x12;
    public static final int DW_TAG_structure_type = 0x13;
    public static final int DW_TAG_subroutine_type = 0x15;
    public static final int DW_TAG_typedef = 0x16;
    public static final int DW_TAG_union_type = 0x17;
    public static final int DW_TAG_unspecified_parameters = 0x18;
    public static final int DW_TAG_module = 0x1e;
    public static final int DW_TAG_variant = 0x19;
    public static final int DW_TAG_inheritance = 0x1c;
    public static final int DW_TAG_inlined_subroutine = 0x1d;
    public static final int DW_TAG_ptr_to_member_type = 0x1f;
    public static final int DW_TAG_set_type = 0x20;
    public static final int DW_TAG_subrange_type = 0x21;
    public static final int DW_TAG_base_type = 0x24;
    public static final int DW_TAG_const_type = 0x26;
    public static final int DW_TAG_enumerator = 0x28;
    public static final int DW_TAG_file_type = 0x29;
    public static final int DW_TAG_packed_type = 0x2d;
    public static final int DW_TAG_subprogram = 0x2e;
    public static final int DW_TAG_template_type_parameter = 0x2f;
    public static final int DW_TAG_template_value_parameter = 0x30;
    public static final int DW_TAG_variant_part = 0x33;
    public static final int DW_TAG_variable = 0x34;
    public static final int DW_TAG_volatile_type = 0x35;
    public static final int DW_TAG_restrict_type = 0x37;
    public static final int DW_TAG_interface_type = 0x38;
    public static final int DW_TAG_namespace = 0x39;
    public static final int DW_TAG_imported_unit = 0x3d;
    public static final int DW_TAG_unspecified_type = 0x3b;
    public static final int DW_TAG_partial_unit = 0x3c;
    public static final int DW_TAG_shared_type = 0x40;
    public static final int DW_TAG_type_unit = 0x41;
    public static final int DW_TAG_rvalue_reference_type = 0x42;
    public static final int DW_TAG_template_alias = 0x43;
    public static final int DW_TAG_generic_subrange = 0x45;
    public static final int DW_TAG_atomic_type = 0x47;
    public static final int DW_TAG_call_site = 0x48;
    public static final int DW_TAG_skeleton_unit = 0x4a;
    public static final int DW_TAG_immutable_type = 0x4b;
    public static final int DW_TAG_GNU_template_template_param = 0x4106;
    public static final int DW_TAG_GNU_template_parameter_pack = 0x4107;
    public static final int DW_TAG_GNU_call_site = 0x4109;
    public static final int DW_TAG_LLVM_ptrauth_type = 0x4300;
    public static final int DW_TAG_ALTIUM_rom = 0x5111;
    public static final int DW_TAG_upc_shared_type = 0x8765;
    public static final int DW_TAG_upc_strict_type = 0x8766;
    public static final int DW_TAG_upc_relaxed_type = 0x8767;

    public static final int DW_AT_sibling = 0x01;
    public static final int DW_AT_location = 0x02;
    public static final int DW_AT_name = 0x03;
    public static final int DW_AT_ordering = 0x09;
    public static final int DW_AT_byte_size = 0x0b;
    public static final int DW_AT_bit_offset = 0x0c;
    public static final int DW_AT_bit_size = 0x0d;
    public static final int DW_AT_stmt_list = 0x10;
    public static final int DW_AT_low_pc = 0x11;
    public static final int DW_AT_high_pc = 0x12;
    public static final int DW_AT_language = 0x13;
    public static final int DW_AT_discr = 0x15;
    public static final int DW_AT_discr_value = 0x16;
    public static final int DW_AT_import = 0x18;
    public static final int DW_AT_comp_dir = 0x1b;
    public static final int DW_AT_producer = 0x25;
    public static final int DW_AT_string_length = 0x19;
    public static final int DW_AT_const_value = 0x1c;
    public static final int DW_AT_lower_bound = 0x22;
    public static final int DW_AT_prototyped = 0x27;
    public static final int DW_AT_containing_type = 0x1d;
    public static final int DW_AT_bit_stride = 0x2e;
    public static final int DW_AT_upper_bound = 0x2f;
    public static final int DW_AT_abstract_origin = 0x31;
    public static final int DW_AT_artificial = 0x34;
    public static final int DW_AT_count = 0x37;
    public static final int DW_AT_data_member_location = 0x38;
    public static final int DW_AT_declaration = 0x3c;
    public static final int DW_AT_address_class = 0x33;
    public static final int DW_AT_discr_list = 0x3d;
    public static final int DW_AT_encoding = 0x3e;
    public static final int DW_AT_external = 0x3f;
    public static final int DW_AT_specification = 0x47;
    public static final int DW_AT_type = 0x49;
    public static final int DW_AT_virtuality = 0x4c;
    public static final int DW_AT_allocated = 0x4e;
    public static final int DW_AT_associated = 0x4f;
    public static final int DW_AT_data_location = 0x50;
    public static final int DW_AT_byte_stride = 0x51;
    public static final int DW_AT_ranges = 0x55;
    public static final int DW_AT_call_column = 0x57;
    public static final int DW_AT_call_file = 0x58;
    public static final int DW_AT_call_line = 0x59;
    public static final int DW_AT_threads_scaled = 0x62;
    public static final int DW_AT_endianity = 0x65;
    public static final int DW_AT_signature = 0x69;
    public static final int DW_AT_data_bit_offset = 0x6b;
    public static final int DW_AT_rank = 0x71;
    public static final int DW_AT_str_offsets_base = 0x72;
    public static final int DW_AT_enum_class = 0x6d;
    public static final int DW_AT_linkage_name = 0x6e;
    public static final int DW_AT_addr_base = 0x73;
    public static final int DW_AT_rnglists_base = 0x74;
    public static final int DW_AT_dwo_name = 0x76;
    public static final int DW_AT_alignment = 0x88;
    public static final int DW_AT_export_symbols = 0x89;
    public static final int DW_AT_language_name = 0x90;
    public static final int DW_AT_INTEL_other_endian = 0x2026;
    public static final int DW_AT_MIPS_linkage_name = 0x2007;
    public static final int DW_AT_GNU_template_name = 0x2110;
    public static final int DW_AT_GNU_dwo_name = 0x2130;
    public static final int DW_AT_GNU_dwo_id = 0x2131;
    public static final int DW_AT_GNU_ranges_base = 0x2132;
    public static final int DW_AT_GNU_discriminator = 0x2136;
    public static final int DW_AT_go_embedded_field = 0x2903;
    public static final int DW_AT_GNU_addr_base = 0x2133;
    public static final int DW_AT_APPLE_runtime_class = 0x3fe6;

    public static final int DW_FORM_addr = 0x01;
    public static final int DW_FORM_block2 = 0x03;
    public static final int DW_FORM_block4 = 0x04;
    public static final int DW_FORM_data2 = 0x05;
    public static final int DW_FORM_data4 = 0x06;
    public static final int DW_FORM_data8 = 0x07;
    public static final int DW_FORM_string = 0x08;
    public static final int DW_FORM_block = 0x09;
    public static final int DW_FORM_block1 = 0x0a;
    public static final int DW_FORM_data1 = 0x0b;
    public static final int DW_FORM_flag = 0x0c;
    public static final int DW_FORM_sdata = 0x0d;
    public static final int DW_FORM_strp = 0x0e;
    public static final int DW_FORM_udata = 0x0f;
    public static final int DW_FORM_ref_addr = 0x10;
    public static final int DW_FORM_ref1 = 0x11;
    public static final int DW_FORM_ref2 = 0x12;
    public static final int DW_FORM_ref4 = 0x13;
    public static final int DW_FORM_ref8 = 0x14;
    public static final int DW_FORM_ref_udata = 0x15;
    public static final int DW_FORM_indirect = 0x16;
    public static final int DW_FORM_sec_offset = 0x17;
    public static final int DW_FORM_exprloc = 0x18;
    public static final int DW_FORM_flag_present = 0x19;
    public static final int DW_FORM_strx = 0x1a;
    public static final int DW_FORM_addrx = 0x1b;
    public static final int DW_FORM_ref_sup4 = 0x1c;
    public static final int DW_FORM_strp_sup = 0x1d;
    public static final int DW_FORM_data16 = 0x1e;
    public static final int DW_FORM_line_strp = 0x1f;
    public static final int DW_FORM_ref_sig8 = 0x20;
    public static final int DW_FORM_implicit_const = 0x21;
    public static final int DW_FORM_loclistx = 0x22;
    public static final int DW_FORM_rnglistx = 0x23;
    public static final int DW_FORM_ref_sup8 = 0x24;
    public static final int DW_FORM_strx1 = 0x25;
    public static final int DW_FORM_strx2 = 0x26;
    public static final int DW_FORM_strx3 = 0x27;
    public static final int DW_FORM_strx4 = 0x28;
    public static final int DW_FORM_addrx1 = 0x29;
    public static final int DW_FORM_addrx2 = 0x2a;
    public static final int DW_FORM_addrx3 = 0x2b;
    public static final int DW_FORM_addrx4 = 0x2c;
    public static final int DW_FORM_GNU_addr_index = 0x1f01;
    public static final int DW_FORM_GNU_str_index = 0x1f02;
    public static final int DW_FORM_GNU_ref_alt = 0x1f20;
    public static final int DW_FORM_GNU_strp_alt = 0x1f21;

    public static final int DW_ATE_boolean = 0x02;
    public static final int DW_ATE_complex_float = 0x03;
    public static final int DW_ATE_float = 0x04;
    public static final int DW_ATE_signed = 0x05;
    public static final int DW_ATE_signed_char = 0x06;
    public static final int DW_ATE_unsigned = 0x07;
    public static final int DW_ATE_unsigned_char = 0x08;
    public static final int DW_ATE_imaginary_float = 0x09;
    public static final int DW_ATE_decimal_float = 0x0f;
    public static final int DW_ATE_UTF = 0x10;

    public static final int DW_END_default = 0x00;
    public static final int DW_END_big = 0x01;
    public static final int DW_END_little = 0x02;

    public static final int DW_DSC_label = 0x00;
    public static final int DW_DSC_range = 0x01;

    public static final int DW_LNS_copy = 0x01;
    public static final int DW_LNS_advance_pc = 0x02;
    public static final int DW_LNS_advance_line = 0x03;
    public static final int DW_LNS_set_file = 0x04;
    public static final int DW_LNS_set_column = 0x05;
    public static final int DW_LNS_negate_stmt = 0x06;
    public static final int DW_LNS_set_basic_block = 0x07;
    public static final int DW_LNS_const_add_pc = 0x08;
    public static final int DW_LNS_fixed_advance_pc = 0x09;
    public static final int DW_LNS_set_prologue_end = 0x0a;
    public static final int DW_LNS_set_epilogue_begin = 0x0b;
    public static final int DW_LNS_set_isa = 0x0c;

    public static final int DW_LNE_end_sequence = 0x01;
    public static final int DW_LNE_set_address = 0x02;
    public static final int DW_LNE_define_file = 0x03;
    public static final int DW_LNE_set_discriminator = 0x04;

    public static final int DW_LNCT_path = 0x1;
    public static final int DW_LNCT_directory_index = 0x2;

    public static final int DW_RLE_end_of_list = 0x00;
    public static final int DW_RLE_base_addressx = 0x01;
    public static final int DW_RLE_startx_endx = 0x02;
    public static final int DW_RLE_startx_length = 0x03;
    public static final int DW_RLE_offset_pair = 0x04;
    public static final int DW_RLE_base_address = 0x05;
    public static final int DW_RLE_start_end = 0x06;
    public static final int DW_RLE_start_length = 0x07;

    public static final int DW_OP_addr = 0x03;
    public static final int DW_OP_const1u = 0x08;
    public static final int DW_OP_const1s = 0x09;
    public static final int DW_OP_const2u = 0x0a;
    public static final int DW_OP_const2s = 0x0b;
    public static final int DW_OP_const4u = 0x0c;
    public static final int DW_OP_const4s = 0x0d;
    public static final int DW_OP_const8u = 0x0e;
    public static final int DW_OP_const8s = 0x0f;
    public static final int DW_OP_constu = 0x10;
    public static final int DW_OP_consts = 0x11;
    public static final int DW_OP_plus = 0x22;
    public static final int DW_OP_plus_uconst = 0x23;
    public static final int DW_OP_lit0 = 0x30;
    public static final int DW_OP_lit31 = 0x4f;
    public static final int DW_OP_form_tls_address = 0x9b;
    public static final int DW_OP_addrx = 0xa1;
    public static final int DW_OP_GNU_push_tls_address = 0xe0;
    public static final int DW_OP_GNU_addr_index = 0xfb;

    private Dwarf() {}

    /** Returns whether the tag is of a type that queries can name. */
    public static boolean isNamedType(int tag) {
        return switch (tag) {
            case DW_TAG_structure_type,
                    DW_TAG_union_type,
                    DW_TAG_class_type,
                    DW_TAG_interface_type,
                    DW_TAG_enumeration_type,
                    DW_TAG_typedef,
                    DW_TAG_template_alias,
                    DW_TAG_base_type -> true;
            default -> false;
        };
    }

    /** Returns whether the tag is of any type; its children are parts of the type. */
    public static boolean isType(int tag) {
        return switch (tag) {
            case DW_TAG_array_type,
                    DW_TAG_pointer_type,
                    DW_TAG_reference_type,
                    DW_TAG_rvalue_reference_type,
                    DW_TAG_ptr_to_member_type,
                    DW_TAG_subroutine_type,
                    DW_TAG_subrange_type,
                    DW_TAG_string_type,
                    DW_TAG_set_type,
                    DW_TAG_file_type,
                    DW_TAG_unspecified_type -> true;
            default -> isNamedType(tag) || isAlias(tag);
        };
    }

    /** Returns whether values of the tag's type have members. */
    public static boolean isAggregate(int tag) {
        return switch (tag) {
            case DW_TAG_structure_type, DW_TAG_union_type, DW_TAG_class_type, DW_TAG_interface_type -> true;
            default -> false;
        };
    }

    /** Returns whether types of the tag have tags in C: structs, unions, classes and enumerations. */
    public static boolean isTagged(int tag) {
        return isAggregate(tag) || tag == DW_TAG_enumeration_type;
    }

    /** Returns whether the tag is of a namespace, module or aggregate: a scope of names. */
    public static boolean isScope(int tag) {
        return tag == DW_TAG_namespace || tag == DW_TAG_module || isAggregate(tag);
    }

    /** Returns whether the tag qualifies or names another type without changing its layout. */
    public static boolean isAlias(int tag) {
        return switch (tag) {
            case DW_TAG_typedef,
                    DW_TAG_template_alias,
                    DW_TAG_const_type,
                    DW_TAG_volatile_type,
                    DW_TAG_restrict_type,
                    DW_TAG_atomic_type,
                    DW_TAG_immutable_type,
                    DW_TAG_packed_type,
                    DW_TAG_shared_type,
                    DW_TAG_LLVM_ptrauth_type,
                    DW_TAG_ALTIUM_rom,
                    DW_TAG_upc_shared_type,
                    DW_TAG_upc_strict_type,
                    DW_TAG_upc_relaxed_type -> true;
            default -> false;
        };
    }

    /**
     * Returns whether a vendor's attribute says that a Fortran array, or a variable-length one of C, is reached through a
     * pointer or descriptor, or with other strides: those of SGI ({@code DW_AT_MIPS_stride} and its like), Sun ({@code
     * DW_AT_SUN_f90_pointer}, {@code DW_AT_SUN_c_vla}) and PGI ({@code DW_AT_PGI_lbase}). Other vendors use the numbers of
     * SGI for attributes that no array has.
     */
    static boolean isOfDescriptor(int attribute) {
        return switch (attribute) {
            case 0x2008, 0x200c, 0x200d, 0x200e, 0x200f, 0x2010, 0x2011 -> true;
            case 0x222a, 0x222c, 0x222d, 0x222e -> true;
            case 0x3a00, 0x3a01, 0x3a02 -> true;
            default -> false;
        };
    }

    /** Returns the name of a tag that is not supported where a type is expected; its number if it has no name here. */
    public static String nameOfUnsupported(int tag) {
        return switch (tag) {
            case 0x31 -> "DW_TAG_thrown_type";
            case 0x44 -> "DW_TAG_coarray_type";
            case 0x46 -> "DW_TAG_dynamic_type";
            case 0x4090 -> "DW_TAG_HP_array_descriptor";
            case 0x420d -> "DW_TAG_SUN_fortran_vax_structure";
            case 0x5101 -> "DW_TAG_ALTIUM_circ_type";
            case 0x5102 -> "DW_TAG_ALTIUM_mwa_circ_type";
            case 0x5103 -> "DW_TAG_ALTIUM_rev_carry_type";
            case 0xa000 -> "DW_TAG_PGI_kanji_type";
            case 0xa020 -> "DW_TAG_PGI_interface_block";
            case 0xb001 -> "DW_TAG_BORLAND_Delphi_string";
            case 0xb002 -> "DW_TAG_BORLAND_Delphi_dynamic_array";
            case 0xb003 -> "DW_TAG_BORLAND_Delphi_set";
            case 0xb004 -> "DW_TAG_BORLAND_Delphi_variant";
            default -> "DW_TAG_0x" + Integer.toHexString(tag);
        };
    }

    public static TypeKind kind(int tag) {
        return switch (tag) {
            case DW_TAG_structure_type -> TypeKind.STRUCT;
            case DW_TAG_union_type -> TypeKind.UNION;
            case DW_TAG_class_type, DW_TAG_interface_type -> TypeKind.CLASS;
            case DW_TAG_enumeration_type -> TypeKind.ENUM;
            case DW_TAG_typedef, DW_TAG_template_alias -> TypeKind.TYPEDEF;
            default -> TypeKind.BASE;
        };
    }

    /** Returns what a tag of {@link #isAlias} makes of its type. */
    public static AliasKind aliasKind(int tag) {
        return switch (tag) {
            case DW_TAG_typedef, DW_TAG_template_alias -> AliasKind.TYPEDEF;
            case DW_TAG_const_type -> AliasKind.CONST;
            case DW_TAG_volatile_type -> AliasKind.VOLATILE;
            case DW_TAG_restrict_type -> AliasKind.RESTRICT;
            case DW_TAG_atomic_type -> AliasKind.ATOMIC;
            default -> AliasKind.OTHER;
        };
    }

    /** Returns whether values of the tag's type are addresses of values; pointers to members are none. */
    public static boolean isPointer(int tag) {
        return switch (tag) {
            case DW_TAG_pointer_type, DW_TAG_reference_type, DW_TAG_rvalue_reference_type -> true;
            default -> false;
        };
    }

    /** Returns what kind of pointer a tag stands for. */
    public static PointerKind pointerKind(int tag) {
        return switch (tag) {
            case DW_TAG_reference_type -> PointerKind.REFERENCE;
            case DW_TAG_rvalue_reference_type -> PointerKind.RVALUE_REFERENCE;
            case DW_TAG_ptr_to_member_type -> PointerKind.MEMBER_POINTER;
            default -> PointerKind.POINTER;
        };
    }

    /** Returns a code of a file as one that switches can take; a code that is too large becomes one that is not assigned. */
    public static int narrowed(long code) {
        return Math.clamp(code, -1, Integer.MAX_VALUE);
    }

    /** Maps a {@code DW_AT_encoding} code to the encodings that matter to a reader of memory. */
    public static BaseShape.Encoding encoding(long code) {
        return switch (narrowed(code)) {
            case DW_ATE_boolean -> BaseShape.Encoding.BOOLEAN;
            case DW_ATE_signed, DW_ATE_signed_char -> BaseShape.Encoding.SIGNED;
            case DW_ATE_unsigned, DW_ATE_unsigned_char, DW_ATE_UTF -> BaseShape.Encoding.UNSIGNED;
            case DW_ATE_float, DW_ATE_complex_float, DW_ATE_imaginary_float, DW_ATE_decimal_float ->
                BaseShape.Encoding.FLOATING;
            default -> BaseShape.Encoding.OTHER;
        };
    }
}
