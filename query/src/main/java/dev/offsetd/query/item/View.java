package dev.offsetd.query.item;

import dev.offsetd.extractor.input.HostileText;
import java.util.Locale;

/** How much an answer says of the members of a type. */
public enum View {
    /** A look-up by name, with the members of unnamed members and base classes. */
    FIELDS,
    /** The whole truth: an ordered tree with base classes, unnamed members and padding. */
    MEMBERS,
    /** Offsets and sizes only. */
    FLAT;

    /**
     * The view of this name, in lower case.
     *
     * @throws IllegalArgumentException if there is none; the message names it and those that there are
     */
    public static View parse(String name) {
        for (View view : values()) {
            if (view.word().equals(name)) {
                return view;
            }
        }
        throw new IllegalArgumentException("view is " + HostileText.quote(name) + "; expected fields, members or flat");
    }

    /** As questions spell it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
