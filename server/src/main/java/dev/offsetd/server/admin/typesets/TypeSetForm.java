package dev.offsetd.server.admin.typesets;

import org.jspecify.annotations.Nullable;

/**
 * A set that somebody is writing.
 *
 * @param isNew whether there is none of this name yet
 * @param etag validator of the set that the change began with; empty for a new one
 * @param nameError what is wrong with the name; null if nothing is
 * @param textError what is wrong with the text, with line and column; null if nothing is
 * @param stale whether somebody else has changed the set in the meantime
 */
record TypeSetForm(
        boolean isNew,
        String name,
        String etag,
        String text,
        @Nullable String nameError,
        @Nullable String textError,
        boolean stale) {

    /** Title of the page. */
    public String title() {
        return isNew ? "New type set" : "Change @" + name;
    }

    /** Whether it cannot be stored. */
    public boolean wrong() {
        return nameError != null || textError != null || stale;
    }

    TypeSetForm refused(@Nullable String ofName, @Nullable String ofText) {
        return new TypeSetForm(isNew, name, etag, text, ofName, ofText, false);
    }

    TypeSetForm outrun() {
        return new TypeSetForm(isNew, name, etag, text, null, null, true);
    }
}
