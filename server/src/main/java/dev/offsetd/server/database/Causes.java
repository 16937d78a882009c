package dev.offsetd.server.database;

import java.util.ArrayList;
import java.util.List;

public final class Causes {

    /** Limit of the chain, which may be a loop. */
    private static final int MAX = 32;

    private Causes() {}

    /** Returns the exception and its chain of causes. */
    public static List<Throwable> of(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = failure; cause != null && causes.size() < MAX; cause = cause.getCause()) {
            causes.add(cause);
        }
        return causes;
    }
}
