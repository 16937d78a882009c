package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * A pointer, reference or pointer to member (DWARF 5 §5.3, §5.12).
 *
 * @param byteSize size in bytes, or {@link TypeShape#UNKNOWN_SIZE}
 * @param pointee the type pointed to as an item can ask for it ({@code struct rb_iseq_struct}), typedefs kept and
 *     qualifiers left out; null if it is void, or has no name
 */
public record PointerShape(
        Spelling declarator, long byteSize, @Nullable String pointee) implements TypeShape {

    /** A pointer type that is spelled by a name alone, or whose sign is last. */
    public PointerShape(String spelling, long byteSize, @Nullable String pointee) {
        this(Spelling.of(spelling), byteSize, pointee);
    }
}
