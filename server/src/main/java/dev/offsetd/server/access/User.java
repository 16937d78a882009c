package dev.offsetd.server.access;

import java.util.UUID;

/**
 * A user of the pages who may sign in.
 *
 * @param role the widest scope that the user has
 * @param mustChangePassword whether somebody else knows the password, so that nothing is open before it is changed
 * @param epoch rises when all sessions of the user end
 */
public record User(UUID id, String name, Scope role, boolean mustChangePassword, int epoch) {}
