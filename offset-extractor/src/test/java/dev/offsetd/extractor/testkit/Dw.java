package dev.offsetd.extractor.testkit;

/** Codes of DWARF 5 §7 and of GNU's extensions, spelled as there; those that tests need. */
public final class Dw {
    // §7.5.3, tags
    public static final int DW_TAG_array_type = 0x1;
    public static final int DW_TAG_class_type = 0x2;
    public static final int DW_TAG_enumeration_type = 0x4;
    public static final int DW_TAG_formal_parameter = 0x5;
    public static final int DW_TAG_lexical_block = 0xb;
    public static final int DW_TAG_member = 0xd;
    public static final int DW_TAG_pointer_type = 0xf;
    public static final int DW_TAG_reference_type = 0x10;
    public static final int DW_TAG_compile_unit = 0x11;
    public static final int DW_TAG_string_type = 0x12;
    public static final int DW_TAG_structure_type = 0x13;
    public static final int DW_TAG_subroutine_type = 0x15;
    public static final int DW_TAG_typedef = 0x16;
    public static final int DW_TAG_union_type = 0x17;
    public static final int DW_TAG_unspecified_parameters = 0x18;
    public static final int DW_TAG_inheritance = 0x1c;
    public static final int DW_TAG_inlined_subroutine = 0x1d;
    public static final int DW_TAG_ptr_to_member_type = 0x1f;
    public static final int DW_TAG_subrange_type = 0x21;
    public static final int DW_TAG_base_type = 0x24;
    public static final int DW_TAG_generic_subrange = 0x45;
    public static final int DW_TAG_const_type = 0x26;
    public static final int DW_TAG_enumerator = 0x28;
    public static final int DW_TAG_subprogram = 0x2e;
    public static final int DW_TAG_template_type_parameter = 0x2f;
    public static final int DW_TAG_template_value_parameter = 0x30;
    public static final int DW_TAG_variable = 0x34;
    public static final int DW_TAG_volatile_type = 0x35;
    public static final int DW_TAG_restrict_type = 0x37;
    public static final int DW_TAG_namespace = 0x39;
    public static final int DW_TAG_imported_unit = 0x3d;
    public static final int DW_TAG_unspecified_type = 0x3b;
    public static final int DW_TAG_partial_unit = 0x3c;
    public static final int DW_TAG_type_unit = 0x41;
    public static final int DW_TAG_atomic_type = 0x47;
    public static final int DW_TAG_skeleton_unit = 0x4a;
    public static final int DW_TAG_module = 0x1e;
    public static final int DW_TAG_variant = 0x19;
    public static final int DW_TAG_variant_part = 0x33;
    public static final int DW_TAG_template_alias = 0x43;
    public static final int DW_TAG_coarray_type = 0x44;
    public static final int DW_TAG_LLVM_ptrauth_type = 0x4300;

    // §7.5.4, attributes
    public static final int DW_AT_sibling = 0x1;
    public static final int DW_AT_location = 0x2;
    public static final int DW_AT_name = 0x3;
    public static final int DW_AT_ordering = 0x9;
    public static final int DW_AT_string_length = 0x19;
    public static final int DW_AT_bit_stride = 0x2e;
    public static final int DW_AT_allocated = 0x4e;
    public static final int DW_AT_associated = 0x4f;
    public static final int DW_AT_data_location = 0x50;
    public static final int DW_AT_byte_stride = 0x51;
    public static final int DW_AT_rank = 0x71;
    public static final int DW_AT_language_name = 0x90;
    public static final int DW_AT_byte_size = 0xb;
    public static final int DW_AT_bit_offset = 0xc;
    public static final int DW_AT_bit_size = 0xd;
    public static final int DW_AT_stmt_list = 0x10;
    public static final int DW_AT_low_pc = 0x11;
    public static final int DW_AT_high_pc = 0x12;
    public static final int DW_AT_language = 0x13;
    public static final int DW_AT_import = 0x18;
    public static final int DW_AT_comp_dir = 0x1b;
    public static final int DW_AT_const_value = 0x1c;
    public static final int DW_AT_upper_bound = 0x2f;
    public static final int DW_AT_producer = 0x25;
    public static final int DW_AT_prototyped = 0x27;
    public static final int DW_AT_abstract_origin = 0x31;
    public static final int DW_AT_artificial = 0x34;
    public static final int DW_AT_count = 0x37;
    public static final int DW_AT_data_member_location = 0x38;
    public static final int DW_AT_declaration = 0x3c;
    public static final int DW_AT_encoding = 0x3e;
    public static final int DW_AT_export_symbols = 0x89;
    public static final int DW_AT_external = 0x3f;
    public static final int DW_AT_specification = 0x47;
    public static final int DW_AT_type = 0x49;
    public static final int DW_AT_virtuality = 0x4c;
    public static final int DW_AT_lower_bound = 0x22;
    public static final int DW_AT_signature = 0x69;
    public static final int DW_AT_linkage_name = 0x6e;
    public static final int DW_AT_data_bit_offset = 0x6b;
    public static final int DW_AT_str_offsets_base = 0x72;
    public static final int DW_AT_addr_base = 0x73;
    public static final int DW_AT_dwo_name = 0x76;
    public static final int DW_AT_alignment = 0x88;
    public static final int DW_AT_discr = 0x15;
    public static final int DW_AT_discr_value = 0x16;
    public static final int DW_AT_discr_list = 0x3d;
    public static final int DW_AT_endianity = 0x65;
    public static final int DW_AT_address_class = 0x33;
    public static final int DW_AT_INTEL_other_endian = 0x2026;
    public static final int DW_AT_GNU_dwo_name = 0x2130;
    public static final int DW_AT_GNU_dwo_id = 0x2131;
    public static final int DW_AT_APPLE_runtime_class = 0x3fe6;

    // §7.5.6, forms
    public static final int DW_FORM_addr = 0x1;
    public static final int DW_FORM_block2 = 0x3;
    public static final int DW_FORM_block4 = 0x4;
    public static final int DW_FORM_data2 = 0x5;
    public static final int DW_FORM_data4 = 0x6;
    public static final int DW_FORM_data8 = 0x7;
    public static final int DW_FORM_string = 0x8;
    public static final int DW_FORM_block = 0x9;
    public static final int DW_FORM_block1 = 0xa;
    public static final int DW_FORM_data1 = 0xb;
    public static final int DW_FORM_flag = 0xc;
    public static final int DW_FORM_sdata = 0xd;
    public static final int DW_FORM_strp = 0xe;
    public static final int DW_FORM_udata = 0xf;
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
    public static final int DW_FORM_GNU_ref_alt = 0x1f20;
    public static final int DW_FORM_GNU_strp_alt = 0x1f21;

    // §7.8, encodings of base types
    public static final int DW_ATE_boolean = 0x2;
    public static final int DW_ATE_complex_float = 0x3;
    public static final int DW_ATE_float = 0x4;
    public static final int DW_ATE_signed = 0x5;
    public static final int DW_ATE_signed_char = 0x6;
    public static final int DW_ATE_unsigned = 0x7;
    public static final int DW_ATE_unsigned_char = 0x8;

    // §7.5.1, unit types
    public static final int DW_UT_compile = 0x1;
    public static final int DW_UT_type = 0x2;
    public static final int DW_UT_partial = 0x3;
    public static final int DW_UT_skeleton = 0x4;
    public static final int DW_UT_split_compile = 0x5;
    public static final int DW_UT_split_type = 0x6;

    // §7.12, languages
    public static final int DW_LANG_C89 = 0x1;
    public static final int DW_LANG_C99 = 0xc;
    public static final int DW_LANG_Ada95 = 0xd;
    public static final int DW_LANG_Fortran08 = 0x23;
    public static final int DW_LANG_C11 = 0x1d;
    public static final int DW_LANG_Rust = 0x1c;
    public static final int DW_LANG_Go = 0x16;
    public static final int DW_LANG_C_plus_plus_14 = 0x21;
    public static final int DW_LANG_ObjC = 0x10;
    public static final int DW_LANG_ObjC_plus_plus = 0x11;
    public static final int DW_LANG_D = 0x13;

    // §7.7.1, operations
    public static final int DW_OP_addr = 0x3;
    public static final int DW_OP_const4u = 0xc;
    public static final int DW_OP_const8u = 0xe;
    public static final int DW_OP_fbreg = 0x91;
    public static final int DW_OP_form_tls_address = 0x9b;
    public static final int DW_OP_addrx = 0xa1;
    public static final int DW_OP_constx = 0xa2;
    public static final int DW_OP_GNU_const_index = 0xfc;
    public static final int DW_OP_GNU_push_tls_address = 0xe0;
    public static final int DW_OP_plus_uconst = 0x23;
    public static final int DW_OP_deref = 0x6;
    public static final int DW_OP_const1u = 0x8;
    public static final int DW_OP_constu = 0x10;
    public static final int DW_OP_consts = 0x11;
    public static final int DW_OP_lit0 = 0x30;

    private Dw() {}
}
