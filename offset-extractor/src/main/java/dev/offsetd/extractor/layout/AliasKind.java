package dev.offsetd.extractor.layout;

/** Difference between an {@link AliasShape} and the type that it stands for. */
public enum AliasKind {
    TYPEDEF,
    CONST,
    VOLATILE,
    RESTRICT,
    ATOMIC,
    /** Nothing: its unit declares the type that another unit defines. */
    DECLARATION,
    /** A subrange of the size of its type, or a qualifier that C does not have. */
    OTHER
}
