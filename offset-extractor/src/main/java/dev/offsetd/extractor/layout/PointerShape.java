package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * A pointer, reference or pointer to member (DWARF 5 §5.3, §5.12).
 *
 * @param byteSize size in bytes, or {@link TypeShape#UNKNOWN_SIZE}
 * @param target the type pointed to, with its qualifiers. Structs, unions, classes, enumerations and typedefs are {@linkplain
 *     NamedShape named} there, unless they have no name
 */
public record PointerShape(PointerKind kind, Spelling declarator, long byteSize, TypeShape target)
        implements TypeShape {

    /**
     * Returns the type pointed to as an item can ask for it ({@code struct rb_iseq_struct}), typedefs kept and qualifiers
     * left out; null if it is void, or has no name.
     */
    public @Nullable String pointee() {
        TypeShape shape = target;
        while (shape instanceof AliasShape alias && alias.kind() != AliasKind.TYPEDEF) {
            shape = alias.target();
        }
        return switch (shape) {
            case NamedShape named -> named.spelling();
            case BaseShape base -> base.byteSize() == UNKNOWN_SIZE ? null : base.spelling();
            default -> null;
        };
    }

    /** Returns the same pointer of another size. */
    public PointerShape withByteSize(long other) {
        return new PointerShape(kind, declarator, other, target);
    }
}
