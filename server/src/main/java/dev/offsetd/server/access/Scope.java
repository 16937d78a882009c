package dev.offsetd.server.access;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** A permission of tokens and users. Each includes those before it. */
public enum Scope {
    /** Query. */
    READ,
    /** Upload debug files, prewarm and retry builds. */
    PUBLISH,
    /** Change pins, type sets, watches, tokens and users. */
    ADMIN;

    /** Returns its name in tokens and messages. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Scope> ofWord(String word) {
        return Arrays.stream(values())
                .filter(scope -> scope.word().equals(word))
                .findFirst();
    }

    /** Returns this scope and those it includes. */
    Set<Scope> included() {
        return EnumSet.range(READ, this);
    }
}
