package dev.offsetd.server.builds;

/**
 * A build whose types are read and not stored yet.
 *
 * @param build as stored, without a file
 * @param file as it will be stored
 */
public record UnstoredBuild(Build build, StoredFile file, UnstoredTypes types) {}
