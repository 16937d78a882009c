package dev.offsetd.server.demand;

import java.util.Locale;
import java.util.Optional;

/** In which order demand is read. */
enum DemandOrder {
    /** What was asked for most often first. */
    COUNT(
            "asked desc, last_asked desc, build_id",
            "(asked, last_asked) <= (:asked, :lastAsked) and ((asked, last_asked) < (:asked, :lastAsked) or build_id > :id)"),
    /** What was asked for last first. */
    LAST_ASKED("last_asked desc, build_id", "last_asked <= :lastAsked and (last_asked < :lastAsked or build_id > :id)");

    private final String columns;
    private final String placeAfter;

    DemandOrder(String columns, String placeAfter) {
        this.columns = columns;
        this.placeAfter = placeAfter;
    }

    /** What to order by, in SQL. */
    String columns() {
        return columns;
    }

    /** The condition, in SQL, of rows behind the one with {@code :asked}, {@code :lastAsked} and {@code :id}. */
    String placeAfter() {
        return placeAfter;
    }

    /** As a query parameter spells it. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<DemandOrder> ofWord(String word) {
        for (DemandOrder order : values()) {
            if (order.word().equals(word)) {
                return Optional.of(order);
            }
        }
        return Optional.empty();
    }
}
