package dev.offsetd.server.access;

import java.util.UUID;

/**
 * A user of the pages.
 *
 * @param role the widest scope of the user
 * @param mustChangePassword whether the password is a one-time password, which must be changed before anything else
 * @param epoch incremented to end all sessions of the user
 */
public record User(UUID id, String name, Scope role, boolean mustChangePassword, int epoch) {}
