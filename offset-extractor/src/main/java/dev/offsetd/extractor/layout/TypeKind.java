package dev.offsetd.extractor.layout;

import java.util.Locale;

/** The kind of a named type. */
public enum TypeKind {
    STRUCT,
    UNION,
    CLASS,
    ENUM,
    TYPEDEF,
    /** A base type such as {@code long unsigned int} (DWARF 5 §5.1). */
    BASE;

    /** Returns the word that source code and answers use: {@code struct}, {@code union}, ... */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether C gives it a tag: everything but typedefs and base types. */
    public boolean isTag() {
        return this != TYPEDEF && this != BASE;
    }

    /** Returns whether values of this kind have members. */
    public boolean isAggregate() {
        return this == STRUCT || this == UNION || this == CLASS;
    }
}
