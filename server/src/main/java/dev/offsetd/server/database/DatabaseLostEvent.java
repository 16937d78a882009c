package dev.offsetd.server.database;

/** Published when the embedded PostgreSQL ends repeatedly and is not restarted again. */
public record DatabaseLostEvent() {}
