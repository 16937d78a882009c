package dev.offsetd.packages.repositories;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A place that publishes packages or images: a suite of an apt archive, an OCI or RPM repository, or a folder. */
public interface Repository {

    /**
     * Lists what the description selects.
     *
     * @param earlierState state of an earlier listing whose entries have all been dealt with; null for the first
     * @param newest of the indexes that were verified before; told of a newer one before its entries are listed
     * @throws RepositoryException if the repository is not authentic, expired, older than the newest index or the earlier
     *     state, malformed or beyond a limit
     * @throws IOException if it cannot be reached or read
     */
    Listing list(@Nullable String earlierState, NewestIndex newest) throws IOException;

    /** Lists what the description selects, of an index of any time that is not older than the earlier state. */
    default Listing list(@Nullable String earlierState) throws IOException {
        return list(earlierState, NewestIndex.UNKNOWN);
    }

    /**
     * Downloads an entry, verifies it by its hash, and copies its selected ELF files that have a build-id to a folder.
     *
     * @param folder an empty folder, which the caller deletes, also after an exception
     * @throws RepositoryException if the entry differs from its listing or exceeds a limit
     * @throws IOException if it cannot be downloaded or read
     */
    List<PackageFile> open(RepositoryEntry entry, Path folder) throws IOException;
}
