package dev.offsetd.extractor.testkit;

import java.util.List;
import java.util.stream.IntStream;

/** Names that all have one {@link String#hashCode}, as a hostile file or client can make them. */
public final class CollidingNames {

    /** Enough that a step for each pair takes minutes, and that one for each name takes some milliseconds. */
    public static final int MANY = 60_000;

    /** 2^16 names are made of so many pieces. */
    private static final int PIECES = 16;

    private CollidingNames() {}

    /** Returns the first {@link #MANY}, each once: {@code AaAa…}, {@code BBAa…}, and so on. */
    public static List<String> many() {
        return IntStream.range(0, MANY).mapToObj(CollidingNames::name).toList();
    }

    private static String name(int number) {
        StringBuilder name = new StringBuilder(2 * PIECES);
        for (int piece = 0; piece < PIECES; piece++) {
            name.append((number >> piece & 1) == 0 ? "Aa" : "BB");
        }
        return name.toString();
    }
}
