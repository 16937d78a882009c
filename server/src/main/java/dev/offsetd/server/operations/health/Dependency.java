package dev.offsetd.server.operations.health;

import dev.offsetd.server.api.model.Health;

/** A service without which the server answers less: readiness names it while it fails. */
public interface Dependency {

    /** Returns the name that readiness gives it. */
    Health.DegradedEnum degraded();

    boolean isFailing();
}
