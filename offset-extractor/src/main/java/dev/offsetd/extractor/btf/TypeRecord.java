package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.layout.TypeKind;
import org.jspecify.annotations.Nullable;

/**
 * The part that every type has, {@code struct btf_type} (btf.rst §2.2).
 *
 * @param section that it is in
 * @param offset bytes from the start of the section
 * @param nameOffset of its name in the string table, 0 for none
 * @param kind see {@link Btf}
 * @param flag {@code kind_flag}; its meaning depends on the kind
 * @param count {@code vlen}: members, enumerators, parameters or variables
 * @param sizeOrType size in bytes, or id of another type
 */
record TypeRecord(Section section, long offset, long nameOffset, int kind, boolean flag, int count, long sizeOrType) {

    static final int BYTES = 12;

    /** Returns where the data that its kind adds starts: bytes from the start of the section. */
    long dataOffset() {
        return offset + BYTES;
    }

    boolean isNamed() {
        return nameOffset != 0;
    }

    boolean isQualifier() {
        return kind == Btf.BTF_KIND_CONST || kind == Btf.BTF_KIND_VOLATILE || kind == Btf.BTF_KIND_RESTRICT;
    }

    boolean isEnumeration() {
        return kind == Btf.BTF_KIND_ENUM || kind == Btf.BTF_KIND_ENUM64;
    }

    boolean isAggregate() {
        return kind == Btf.BTF_KIND_STRUCT || kind == Btf.BTF_KIND_UNION;
    }

    /** Returns what a name of it names; null for a kind that defines no type of its name. */
    @Nullable
    TypeKind typeKind() {
        return switch (kind) {
            case Btf.BTF_KIND_STRUCT -> TypeKind.STRUCT;
            case Btf.BTF_KIND_UNION -> TypeKind.UNION;
            case Btf.BTF_KIND_FWD -> flag ? TypeKind.UNION : TypeKind.STRUCT;
            case Btf.BTF_KIND_ENUM, Btf.BTF_KIND_ENUM64 -> TypeKind.ENUM;
            case Btf.BTF_KIND_TYPEDEF -> TypeKind.TYPEDEF;
            case Btf.BTF_KIND_INT, Btf.BTF_KIND_FLOAT -> TypeKind.BASE;
            default -> null;
        };
    }

    /**
     * Returns whether it only declares its name. C has no enumeration without enumerators: such a one stands for a
     * declaration.
     */
    boolean isDeclaration() {
        return kind == Btf.BTF_KIND_FWD || (isEnumeration() && isNamed() && count == 0);
    }

    /** Bytes that the kind adds, or -1 for a kind that is not known. */
    long dataBytes() {
        return switch (kind) {
            case Btf.BTF_KIND_INT, Btf.BTF_KIND_VAR, Btf.BTF_KIND_DECL_TAG -> 4;
            case Btf.BTF_KIND_ARRAY -> 12;
            case Btf.BTF_KIND_STRUCT, Btf.BTF_KIND_UNION, Btf.BTF_KIND_ENUM64, Btf.BTF_KIND_DATASEC -> 12L * count;
            case Btf.BTF_KIND_ENUM, Btf.BTF_KIND_FUNC_PROTO -> 8L * count;
            case Btf.BTF_KIND_PTR,
                    Btf.BTF_KIND_FWD,
                    Btf.BTF_KIND_TYPEDEF,
                    Btf.BTF_KIND_VOLATILE,
                    Btf.BTF_KIND_CONST,
                    Btf.BTF_KIND_RESTRICT,
                    Btf.BTF_KIND_FUNC,
                    Btf.BTF_KIND_FLOAT,
                    Btf.BTF_KIND_TYPE_TAG -> 0;
            default -> -1;
        };
    }
}
