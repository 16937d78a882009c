package dev.offsetd.extractor.btf;

/** Kinds of BTF types (btf.rst §2.2), spelled as there. */
final class Btf {

    static final int BTF_KIND_INT = 1;
    static final int BTF_KIND_PTR = 2;
    static final int BTF_KIND_ARRAY = 3;
    static final int BTF_KIND_STRUCT = 4;
    static final int BTF_KIND_UNION = 5;
    static final int BTF_KIND_ENUM = 6;
    static final int BTF_KIND_FWD = 7;
    static final int BTF_KIND_TYPEDEF = 8;
    static final int BTF_KIND_VOLATILE = 9;
    static final int BTF_KIND_CONST = 10;
    static final int BTF_KIND_RESTRICT = 11;
    static final int BTF_KIND_FUNC = 12;
    static final int BTF_KIND_FUNC_PROTO = 13;
    static final int BTF_KIND_VAR = 14;
    static final int BTF_KIND_DATASEC = 15;
    static final int BTF_KIND_FLOAT = 16;
    static final int BTF_KIND_DECL_TAG = 17;
    static final int BTF_KIND_TYPE_TAG = 18;
    static final int BTF_KIND_ENUM64 = 19;

    private Btf() {}
}
