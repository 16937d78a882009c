package dev.offsetd.server.operations.work;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Order of the pieces of shared work that are due. */
public enum Priority {
    LOW,
    NORMAL,
    HIGH;

    /** Returns the spelling in the database and in answers. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Priority> ofWord(String word) {
        return Arrays.stream(values())
                .filter(priority -> priority.word().equals(word))
                .findFirst();
    }
}
