package dev.offsetd.server.builds.identity;

import dev.offsetd.server.operations.Word;

public enum BuildOrder implements Word {
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
