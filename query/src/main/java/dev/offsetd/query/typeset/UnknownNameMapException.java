package dev.offsetd.query.typeset;

import java.util.List;

/** Thrown for a query for a name map that does not exist. */
public final class UnknownNameMapException extends RuntimeException {

    private final String problem;
    private final List<String> names;

    /** @param names the maps of the set */
    UnknownNameMapException(String problem, List<String> names) {
        super(expecting(problem, names, "map="));
        this.problem = problem;
        this.names = List.copyOf(names);
    }

    /**
     * Returns the message for users of the command line.
     *
     * @param option that names the map
     */
    public String withOption(String option) {
        return expecting(problem, names, option + " ");
    }

    private static String expecting(String problem, List<String> names, String prefix) {
        return names.isEmpty() ? problem : problem + "; expected " + prefix + String.join(" or " + prefix, names);
    }
}
