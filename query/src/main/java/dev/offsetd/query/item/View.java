package dev.offsetd.query.item;

import dev.offsetd.extractor.input.HostileText;
import java.util.Locale;

/** Detail of the members in an answer. */
public enum View {
    /** Fields by name, including those of unnamed members and base classes. */
    FIELDS,
    /** Complete ordered tree with base classes, unnamed members and padding. */
    MEMBERS,
    /** Offsets and sizes only. */
    FLAT,
    /** A number under each name of a name map, for one type set. */
    MAP;

    /**
     * Returns the view with this name in lower case.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    public static View parse(String name) {
        for (View view : values()) {
            if (view.word().equals(name)) {
                return view;
            }
        }
        throw new IllegalArgumentException(
                "view is " + HostileText.quote(name) + "; expected fields, members, flat or map");
    }

    /** Returns the word in queries. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
