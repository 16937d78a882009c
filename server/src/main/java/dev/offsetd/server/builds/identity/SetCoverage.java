package dev.offsetd.server.builds.identity;

import dev.offsetd.query.item.Coverage;

/** How many items of a type set a build had when they were last counted. */
public record SetCoverage(String set, Coverage.Share required, Coverage.Share optional) {

    /** Returns whether the set has required items and the build has all of them. */
    public boolean isComplete() {
        return required.of() > 0 && required.found() == required.of();
    }
}
