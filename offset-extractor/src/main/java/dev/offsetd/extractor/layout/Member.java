package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * One member of a struct, union or class, or one of its base classes (DWARF 5 §5.7.3 and §5.7.6; BTF
 * {@code struct btf_member}). A variant part (§5.7.10) is an unnamed union of its discriminant and the members of all its
 * variants.
 *
 * @param role a field, one that is embedded, a base class, or the discriminant of the variant part that it is in
 * @param name its name, or null: an unnamed struct or union, a base class, padding bits
 * @param location where it starts in the containing type
 * @param bitSize width in bits of a bit-field, or {@link #NOT_A_BIT_FIELD}
 * @param storageBytes for a bit-field the size in bytes of its storage unit, which is its {@code DW_AT_byte_size}, or else that
 *     of its type; 0 otherwise
 * @param type its type
 * @param variant when it is there, for a member of a variant; else null
 */
public record Member(
        Role role,
        @Nullable String name,
        MemberLocation location,
        int bitSize,
        long storageBytes,
        TypeShape type,
        @Nullable Variant variant) {

    /** {@link #bitSize()} of a member that is not a bit-field. */
    public static final int NOT_A_BIT_FIELD = -1;

    /** Role of a member in the type that contains it. */
    public enum Role {
        FIELD,
        BASE_CLASS,
        DISCRIMINANT,
        /** A field whose own fields the type has, too: one of Go that is declared by its type alone. */
        EMBEDDED
    }

    /** A member that is always there. */
    public Member(
            Role role, @Nullable String name, MemberLocation location, int bitSize, long storageBytes, TypeShape type) {
        this(role, name, location, bitSize, storageBytes, type, null);
    }

    /** Returns the same member of another type of the same size. */
    public Member withType(TypeShape other) {
        return new Member(role, name, location, bitSize, storageBytes, other, variant);
    }

    /** Returns the same member at another location. */
    public Member withLocation(MemberLocation other) {
        return new Member(role, name, other, bitSize, storageBytes, type, variant);
    }

    /** Returns the same member of another variant. */
    public Member withVariant(Variant other) {
        return new Member(role, name, location, bitSize, storageBytes, type, other);
    }

    /**
     * Returns the bytes from the start of the containing type to this member.
     *
     * @throws IllegalStateException if only the running program knows the location, or the member is a bit-field that does
     *     not start at a byte
     */
    public long byteOffset() {
        if (location instanceof MemberLocation.Fixed(long bitOffset) && bitOffset % Byte.SIZE == 0) {
            return bitOffset / Byte.SIZE;
        }
        throw new IllegalStateException("member " + name + " has no byte offset: it is at " + location);
    }

    /** Returns the first bit in the containing type; 0 if only the running program knows it. */
    public long bitOffset() {
        return location instanceof MemberLocation.Fixed(long bits) ? bits : 0;
    }

    public boolean isBitField() {
        return bitSize != NOT_A_BIT_FIELD;
    }

    /** Returns whether this is an unnamed struct, union or class, whose members C and C++ reach as the parent's own. */
    public boolean isUnnamedAggregate() {
        return role == Role.FIELD && name == null && type.peeled() instanceof AggregateShape;
    }
}
