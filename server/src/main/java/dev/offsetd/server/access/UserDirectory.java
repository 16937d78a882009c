package dev.offsetd.server.access;

import java.util.Optional;
import java.util.UUID;

/** The users of the pages, as they are now. Asked at every request of a page. */
@FunctionalInterface
public interface UserDirectory {

    /** The user with this id; empty if there is none, or none that may sign in. */
    Optional<User> enabled(UUID id);
}
