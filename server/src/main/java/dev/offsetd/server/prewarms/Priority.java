package dev.offsetd.server.prewarms;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Priority of the items of a batch. */
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
