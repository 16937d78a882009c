package dev.offsetd.server.builds.identity;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Orders of a list of builds. */
public enum BuildOrder {
    BUILD_ID("", "b.build_id", "b.build_id > :after"),
    /** By name; builds without one are left out. */
    NAME(
            " and i.title <> ''",
            "lower(i.title) collate \"C\", b.build_id",
            "(lower(i.title) collate \"C\", b.build_id) > (select lower(title) collate \"C\", build_id"
                    + " from build_identities where build_id = :after)"),
    /** The latest result of a source first; builds without one are left out. */
    RESULT(
            " and s.settled_at is not null",
            "s.settled_at desc, b.build_id",
            "(s.settled_at < (select settled_at from builds where build_id = :after) or s.settled_at ="
                    + " (select settled_at from builds where build_id = :after) and b.build_id > :after)");

    private final String listed;
    private final String order;
    private final String after;

    BuildOrder(String listed, String order, String after) {
        this.listed = listed;
        this.order = order;
        this.after = after;
    }

    /** Returns the word in queries. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the order with this word; empty if there is none. */
    public static Optional<BuildOrder> ofWord(String word) {
        return Arrays.stream(values())
                .filter(order -> order.word().equals(word))
                .findFirst();
    }

    /** Returns the condition that a build is in the list. */
    String listed() {
        return listed;
    }

    /** Returns the columns to sort by. */
    String order() {
        return order;
    }

    /** Returns the condition that a build comes after the one with the parameter {@code after}. */
    String after() {
        return after;
    }
}
