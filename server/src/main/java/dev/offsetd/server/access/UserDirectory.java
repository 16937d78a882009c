package dev.offsetd.server.access;

import java.util.Optional;
import java.util.UUID;

/** The current users of the pages. Every page request queries it. */
@FunctionalInterface
public interface UserDirectory {

    /** Returns the enabled user with this id. */
    Optional<User> enabled(UUID id);
}
