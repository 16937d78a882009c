package dev.offsetd.server.storage;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The blobs of functions and lines of all builds. */
@Component
public class FrameTables {

    /** Unpacked blocks that stay in memory for the next queries of a build, as long as there is heap for them: all of a kernel. */
    private static final int KEPT_BLOCKS = 4096;

    private final BlobTable<StoredFrames> table;
    private final ObjectRows objects;

    FrameTables(
            JdbcClient jdbc, ObjectRows objects, ObjectStore store, SliceCache slices, CatalogueProperties properties) {
        this.objects = objects;
        this.table = new BlobTable<>(
                jdbc,
                store,
                BuildPart.FRAMES,
                slices,
                properties.open(),
                blob -> new StoredFrames(blob).keeping(KEPT_BLOCKS));
    }

    /**
     * Prepares functions and lines to be stored. Must not be called in a transaction, because it may write to the object store.
     *
     * @throws StoreUnreachableException if that fails
     */
    public NewBlob prepare(byte[] blob) {
        return objects.prepare(blob);
    }

    /** Stores or replaces a build's functions and lines. Part of the caller's transaction. */
    public void store(BuildId id, NewBlob blob) {
        table.store(id, blob);
    }

    /**
     * Opens the functions and lines of a build, which must be stored.
     *
     * @param generation generation of the build, so that slices of a replaced blob are not mixed in
     * @throws CorruptBlobException now or during later reads, if the blob is damaged or has an unknown format
     */
    public StoredFrames open(BuildId id, long generation) {
        return table.open(id, generation);
    }
}
