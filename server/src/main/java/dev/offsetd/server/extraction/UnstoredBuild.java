package dev.offsetd.server.extraction;

import dev.offsetd.server.builds.StoredFile;

/**
 * A build whose file was read and whose types are about to be stored.
 *
 * @param file as it will be stored
 */
public record UnstoredBuild(StoredFile file, UnstoredTypes types) {}
