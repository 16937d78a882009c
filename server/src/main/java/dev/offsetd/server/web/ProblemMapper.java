package dev.offsetd.server.web;

import java.util.Optional;

/** Knows what some exceptions mean for the caller. */
@FunctionalInterface
public interface ProblemMapper {

    /** The problem that this exception stands for; empty if it is none that is known here. */
    Optional<Problem> problemFor(Exception e);
}
