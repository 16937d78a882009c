package dev.offsetd.server.builds;

/**
 * A build whose content is read and not stored yet.
 *
 * @param build as stored, without a file
 * @param file as it will be stored
 */
public record EarlyBuild(Build build, StoredFile file, EarlyContent content) {}
