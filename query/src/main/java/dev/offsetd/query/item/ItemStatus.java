package dev.offsetd.query.item;

import java.util.Locale;

/** What became of one item of a question. A miss is always said, never a 0. */
public enum ItemStatus {
    FOUND,
    /** No type of this name in the build; nor symbol, where one was asked for. */
    TYPE_NOT_FOUND,
    /** The type is there, the member is not. */
    FIELD_NOT_FOUND,
    /** The name is only declared: this build holds no definition of it. */
    DECLARATION_ONLY,
    /** Several definitions differ in what was asked for. */
    AMBIGUOUS,
    /** The path goes through a pointer; it has to be asked for in two steps. */
    CROSSES_POINTER,
    /** The place is known only to the running program. */
    COMPUTED,
    /** The question, or what it meets in the file, is not served by this version. */
    UNSUPPORTED,
    /** The build is known but nothing of its types is. */
    NO_DEBUGINFO;

    /** As answers spell it: {@code type_not_found}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
