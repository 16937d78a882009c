package dev.offsetd.server.access;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What somebody may do. Each one includes those before it. */
public enum Scope {
    /** Ask for what is known. */
    READ,
    /** Bring in debug files and have builds tried again. */
    PUBLISH,
    /** Change what the server answers, and who may do what. */
    ADMIN;

    /** Its name in tokens and messages, in lower case. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The scope with this name; empty if there is none. */
    public static Optional<Scope> ofWord(String word) {
        return Arrays.stream(values())
                .filter(scope -> scope.word().equals(word))
                .findFirst();
    }

    /** All that this scope allows: itself, and those that it includes. */
    Set<Scope> included() {
        return EnumSet.range(READ, this);
    }
}
