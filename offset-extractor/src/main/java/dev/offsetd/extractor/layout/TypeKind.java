package dev.offsetd.extractor.layout;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The kind of a named type. */
public enum TypeKind {
    STRUCT,
    UNION,
    CLASS,
    ENUM,
    TYPEDEF,
    /** A base type such as {@code long unsigned int} (DWARF 5 §5.1). */
    BASE;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the kind whose word is in front of a spelling, as C writes it; empty if there is none. */
    public static Optional<TypeKind> ofTag(String spelling) {
        return Arrays.stream(values()).filter(kind -> kind.isTagOf(spelling)).findFirst();
    }

    private boolean isTagOf(String spelling) {
        return isTag() && spelling.startsWith(word) && spelling.startsWith(" ", word.length());
    }

    /** Returns a spelling without the word of this kind in front, if it has it. */
    public String untagged(String spelling) {
        return isTagOf(spelling) ? spelling.substring(word.length() + 1) : spelling;
    }

    /** Returns the word that source code and answers use: {@code struct}, {@code union}, ... */
    public String word() {
        return word;
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
