package dev.offsetd.server.web;

import java.util.ArrayList;
import java.util.List;

/** The causes of failures. */
public final class Causes {

    /** Longest chain that is followed; a chain may be a loop. */
    private static final int MAX = 32;

    private Causes() {}

    /** The failure, its cause, the cause of that, and so on. */
    public static List<Throwable> of(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = failure; cause != null && causes.size() < MAX; cause = cause.getCause()) {
            causes.add(cause);
        }
        return causes;
    }
}
