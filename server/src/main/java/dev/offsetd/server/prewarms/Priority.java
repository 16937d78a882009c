package dev.offsetd.server.prewarms;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Which items come first, when there are more than the servers can do at a time. */
public enum Priority {
    LOW,
    NORMAL,
    HIGH;

    /** As the database and answers spell it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The priority with this word; empty if there is none. */
    public static Optional<Priority> ofWord(String word) {
        return Arrays.stream(values())
                .filter(priority -> priority.word().equals(word))
                .findFirst();
    }
}
