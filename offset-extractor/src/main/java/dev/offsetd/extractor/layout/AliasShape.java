package dev.offsetd.extractor.layout;

/**
 * A typedef, or a type with {@code const}, {@code volatile}, {@code restrict} or {@code _Atomic} (DWARF 5 §5.3).
 *
 * @param target what it stands for
 */
public record AliasShape(String spelling, TypeShape target) implements TypeShape {

    @Override
    public long byteSize() {
        return peeled().byteSize();
    }
}
