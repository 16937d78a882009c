package dev.offsetd.server.operations;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A constant that is spelled as its name in lower case: in the database, in answers and in queries. */
public interface Word {

    String name();

    /** Returns the spelling. */
    default String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the constant that a client spells so; empty if there is none. */
    static <E extends Enum<E> & Word> Optional<E> find(Class<E> type, String word) {
        return Arrays.stream(type.getEnumConstants())
                .filter(value -> value.word().equals(word))
                .findFirst();
    }

    /** Returns the constant that the database spells so. */
    static <E extends Enum<E> & Word> E of(Class<E> type, String word) {
        return Enum.valueOf(type, word.toUpperCase(Locale.ROOT));
    }
}
