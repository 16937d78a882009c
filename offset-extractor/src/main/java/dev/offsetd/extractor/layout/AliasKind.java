package dev.offsetd.extractor.layout;

/** What makes an {@link AliasShape} differ from the type that it stands for. */
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
