package dev.offsetd.server.access;

import dev.offsetd.server.web.Problem;
import org.jspecify.annotations.Nullable;

/** Whether a request may go on, as far as that depends on who sends it and how often. */
sealed interface Admission {

    /**
     * It may.
     *
     * @param token null if it has none
     */
    record Granted(Caller caller, @Nullable Token token) implements Admission {}

    /** It may not. */
    record Denied(Problem problem) implements Admission {}
}
