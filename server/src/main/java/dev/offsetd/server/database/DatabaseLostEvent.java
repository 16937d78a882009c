package dev.offsetd.server.database;

/** The embedded PostgreSQL does not stay up, and is not restarted any more. */
public record DatabaseLostEvent() {}
