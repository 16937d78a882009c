package dev.offsetd.server.admin.tokens;

import dev.offsetd.server.admin.shell.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the page of tokens shows. */
record TokensPage(List<Row> rows, Typed typed, @Nullable Made made) {

    TokensPage {
        rows = List.copyOf(rows);
    }

    /**
     * A token.
     *
     * @param usedAt null if it never was
     * @param badge class of its badge
     */
    record Row(
            String id,
            String label,
            String scopes,
            Moment createdAt,
            Moment expiresAt,
            @Nullable Moment usedAt,
            String state,
            String badge,
            boolean revocable) {}

    /**
     * What was typed into the form, with what is wrong with it; null where nothing is.
     *
     * @param scope word of the highest scope
     * @param days until it expires
     */
    record Typed(
            String label,
            String scope,
            String days,
            @Nullable String labelError,
            @Nullable String scopeError,
            @Nullable String daysError) {

        /** Whether anything is. */
        public boolean wrong() {
            return labelError != null || scopeError != null || daysError != null;
        }
    }

    /** A token that was just made: the one time that it is shown. */
    record Made(String text, String label) {

        /** Without the text, which must not get into logs. */
        @Override
        public String toString() {
            return "Made[" + label + "]";
        }
    }
}
