package dev.offsetd.extractor.layout;

/**
 * A typedef, or a type with {@code const}, {@code volatile}, {@code restrict} or {@code _Atomic} (DWARF 5 §5.3).
 *
 * @param target what it stands for
 */
public record AliasShape(Spelling declarator, TypeShape target) implements TypeShape {

    /** A typedef, or a qualified type that is spelled without a suffix. */
    public AliasShape(String spelling, TypeShape target) {
        this(Spelling.of(spelling), target);
    }

    @Override
    public long byteSize() {
        return peeled().byteSize();
    }
}
