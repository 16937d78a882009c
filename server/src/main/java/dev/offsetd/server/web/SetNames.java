package dev.offsetd.server.web;

import java.util.List;

/** Checks the names of type sets in requests. The package of type sets implements it, and packages below that one use it. */
public interface SetNames {

    /**
     * Checks names, which may be those of retired sets.
     *
     * @throws ProblemException if one is unknown: 400
     */
    void requireKnown(List<String> names);
}
