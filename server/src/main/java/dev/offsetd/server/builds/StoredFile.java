package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.Architecture;
import java.time.Instant;

/**
 * The debug file that a build's stored types were read from.
 *
 * @param upstream the upstream's URL, or the local folder
 * @param sha256 of the file, lower-case hex
 * @param bytes size of the file
 * @param verified how the file was checked to be this build's
 * @param extractorVersion what read it
 */
public record StoredFile(
        Architecture architecture,
        Origin origin,
        String upstream,
        String sha256,
        long bytes,
        String verified,
        int extractorVersion,
        Instant extractedAt) {}
