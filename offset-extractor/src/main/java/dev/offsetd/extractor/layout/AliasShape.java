package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * A typedef, or a type with {@code const}, {@code volatile}, {@code restrict} or {@code _Atomic} (DWARF 5 §5.3), or a type that its
 * unit only declares and another one defines.
 *
 * @param target what it stands for
 * @param resolvedFrom the unit that defines a declared type, else null
 */
public record AliasShape(
        Spelling declarator, TypeShape target, @Nullable String resolvedFrom) implements TypeShape {

    /** A typedef or qualified type. */
    public AliasShape(Spelling declarator, TypeShape target) {
        this(declarator, target, null);
    }

    /** A typedef, or a qualified type that is spelled without a suffix. */
    public AliasShape(String spelling, TypeShape target) {
        this(Spelling.of(spelling), target);
    }

    /** Returns the same name for another type. */
    public AliasShape withTarget(TypeShape other) {
        return new AliasShape(declarator, other, resolvedFrom);
    }

    @Override
    public long byteSize() {
        return peeled().byteSize();
    }
}
