package dev.offsetd.extractor.layout;

/**
 * A struct, union, class, enumeration or typedef that a pointer or function type refers to by its name. The build may define it or
 * only declare it.
 *
 * @param spelling as an item can ask for it: {@code struct rb_iseq_struct}, {@code v8::internal::Isolate}
 */
public record NamedShape(TypeKind kind, String spelling) implements TypeShape, Comparable<NamedShape> {

    @Override
    public int compareTo(NamedShape other) {
        int order = kind.compareTo(other.kind);
        return order != 0 ? order : spelling.compareTo(other.spelling);
    }

    @Override
    public long byteSize() {
        return UNKNOWN_SIZE;
    }

    /** Returns the name with its scopes and without a tag in front: {@code rb_iseq_struct}. */
    public String qualifiedName() {
        return kind.untagged(spelling);
    }
}
