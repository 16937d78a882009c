package dev.offsetd.server.admin.typesets;

import org.jspecify.annotations.Nullable;

/**
 * The form of a type set.
 *
 * @param isNew whether it creates a set
 * @param etag validator of the version that the change began with; empty for a new set
 * @param stale whether another version has been stored since
 */
record TypeSetForm(
        boolean isNew,
        String name,
        String etag,
        String text,
        @Nullable String nameError,
        @Nullable String textError,
        boolean stale) {

    public String title() {
        return isNew ? "New type set" : "Edit @" + name;
    }

    public boolean wrong() {
        return nameError != null || textError != null || stale;
    }

    TypeSetForm refused(@Nullable String nameMessage, @Nullable String textMessage) {
        return new TypeSetForm(isNew, name, etag, text, nameMessage, textMessage, false);
    }

    TypeSetForm outdated() {
        return new TypeSetForm(isNew, name, etag, text, null, null, true);
    }
}
