package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * A typedef, or a type with {@code const}, {@code volatile}, {@code restrict} or {@code _Atomic} (DWARF 5 §5.3), or a type that its
 * unit only declares and another one defines.
 *
 * @param target what it stands for
 * @param resolvedFrom the unit that defines a declared type; null for all other kinds
 */
public record AliasShape(
        AliasKind kind,
        Spelling declarator,
        TypeShape target,
        @Nullable String resolvedFrom) implements TypeShape {

    public AliasShape {
        if ((kind == AliasKind.DECLARATION) != (resolvedFrom != null)) {
            throw new IllegalArgumentException(
                    "kind is " + kind + ", resolved from " + resolvedFrom + "; expected a unit for declarations only");
        }
    }

    /** A typedef, qualified type or subrange. */
    public AliasShape(AliasKind kind, Spelling declarator, TypeShape target) {
        this(kind, declarator, target, null);
    }

    /** A typedef. */
    public AliasShape(String spelling, TypeShape target) {
        this(AliasKind.TYPEDEF, Spelling.of(spelling), target);
    }

    /** Returns the same name for another type. */
    public AliasShape withTarget(TypeShape other) {
        return new AliasShape(kind, declarator, other, resolvedFrom);
    }

    @Override
    public long byteSize() {
        return peeled().byteSize();
    }
}
