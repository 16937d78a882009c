package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.builds.BuildId;
import java.util.List;

/**
 * A package, layer of an image, or file of a folder.
 *
 * @param key identifies the contents, so that a key that was dealt with need not be opened again: {@code sha256:} and the
 *     hash that downloads are verified by, or a hash of path, size and time of a file
 * @param name of the package, image or file
 * @param version of the package, or tag of the image; empty for files
 * @param architecture as the repository names it, such as {@code amd64}; empty if it does not say
 * @param location path below the URL of the repository
 * @param size of the download in bytes
 * @param buildIds builds in it, sorted; empty if the index does not say
 */
public record RepositoryEntry(
        String key,
        String name,
        String version,
        String architecture,
        String location,
        long size,
        List<BuildId> buildIds) {

    public RepositoryEntry {
        buildIds = List.copyOf(buildIds);
    }
}
