package dev.offsetd.server.web;

import java.util.Optional;

/** Maps some exceptions to problems. */
@FunctionalInterface
public interface ProblemMapper {

    /** Returns the problem of an exception; empty if this mapper does not know it. */
    Optional<Problem> problemFor(Exception e);
}
