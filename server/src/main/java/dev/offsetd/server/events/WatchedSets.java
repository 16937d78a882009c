package dev.offsetd.server.events;

import java.util.Set;

/** Type sets whose runtimes are watched, implemented by a package that watches them. */
public interface WatchedSets {

    /** Returns their names. */
    Set<String> names();
}
