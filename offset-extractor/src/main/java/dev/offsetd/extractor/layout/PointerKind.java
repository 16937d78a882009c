package dev.offsetd.extractor.layout;

/** How a {@link PointerShape} refers to its target. */
public enum PointerKind {
    POINTER,
    /** An lvalue reference of C++. */
    REFERENCE,
    RVALUE_REFERENCE,
    /** A pointer to a member of a class: an offset, or what calls a member function. */
    MEMBER_POINTER
}
