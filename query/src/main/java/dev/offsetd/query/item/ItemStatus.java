package dev.offsetd.query.item;

import java.util.Locale;

/** Status of an item in an answer. A miss has a status, never offset 0. */
public enum ItemStatus {
    FOUND,
    /** The build has no type or symbol of this name. */
    TYPE_NOT_FOUND,
    /** The program describes some of its types itself, for its own use; the type is none of them, and may exist. */
    NOT_IN_BINARY,
    /** The type exists, but has no such member. */
    FIELD_NOT_FOUND,
    /** The build only declares the name. */
    DECLARATION_ONLY,
    /** Several definitions differ in the item. */
    AMBIGUOUS,
    /** The path has a dot at a pointer, which only {@code ->} follows. */
    CROSSES_POINTER,
    /** The location is known only at run time. */
    COMPUTED,
    /** This version does not support the item, or the construct that it meets in the file. */
    UNSUPPORTED,
    /** The build has no debug information. */
    NO_DEBUGINFO;

    /** Returns the word in answers: {@code type_not_found}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
