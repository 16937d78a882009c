package dev.offsetd.server.storage;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.store.BlobReader;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredBlob;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.storage.objects.StoredObject;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The table of a part, with one blob for each build. The bytes are in the row or in an object, and may be moved at any time.
 *
 * @param <T> type of an open blob
 */
public abstract class BlobTable<T> {

    /** Most decompressed bytes of the directories that stay open, for each part. In memory they take about twice as much. */
    private static final int MAX_OPEN_BYTES = Math.clamp(Runtime.getRuntime().maxMemory() / 32, 1, 1 << 28);

    /** Largest value of a PostgreSQL column. */
    private static final long MAX_BLOB_BYTES = 1L << 30;

    private final JdbcClient jdbc;
    private final ObjectRows rows;
    private final ObjectStore objects;
    private final SliceCache slices;
    private final BuildPart part;
    private final Function<BlobReader, T> opener;
    private final Cache<SliceCache.Edition, Opened<T>> directories;
    private final String upsert;
    private final String select;
    private final String selectSlice;

    /** Services that all tables share. */
    @Component
    record Services(
            JdbcClient jdbc, ObjectRows rows, ObjectStore objects, SliceCache slices, CatalogueProperties properties) {}

    /** @param opener reads a blob's directory */
    BlobTable(Services services, BuildPart part, Function<BlobReader, T> opener) {
        this.jdbc = services.jdbc();
        this.rows = services.rows();
        this.objects = services.objects();
        this.slices = services.slices();
        this.part = part;
        this.opener = opener;
        int mostOpen = Math.max(1, services.properties().open());
        // An evicted directory is read again.
        this.directories = Caffeine.newBuilder()
                .maximumWeight(MAX_OPEN_BYTES)
                .<SliceCache.Edition, Opened<T>>weigher(
                        (_, opened) -> Math.max(opened.bytes(), MAX_OPEN_BYTES / mostOpen))
                .softValues()
                .build();
        String name = part.table();
        this.upsert = "insert into " + name + """
                 (build_id, bytes, blob, object) values (:id, :bytes, :blob, :object)
                on conflict (build_id) do update set bytes = excluded.bytes, blob = excluded.blob,
                    object = excluded.object
                """;
        this.select = "select blob, bytes, object from " + name + " where build_id = :id";
        this.selectSlice =
                "select substring(blob from :from for :length), bytes, object from " + name + " where build_id = :id";
    }

    /**
     * Prepares a blob to be stored. Must not be called in a transaction, because it may write to the object store.
     *
     * @throws StoreUnreachableException if that fails
     */
    public NewBlob prepare(byte[] blob) {
        return rows.prepare(blob);
    }

    /** Stores or replaces a build's blob. Part of the caller's transaction. */
    public void store(BuildId id, NewBlob blob) {
        blob.bind(jdbc.sql(upsert).param("id", id.toBytes())).update();
    }

    /** Returns the size of the blob of a build; 0 if it has none. */
    long bytes(BuildId id) {
        return jdbc.sql("select bytes from " + part.table() + " where build_id = :id")
                .param("id", id.toBytes())
                .query(Long.class)
                .optional()
                .orElse(0L);
    }

    /**
     * Returns the whole blob of a build; empty if it has none.
     *
     * @throws CorruptBlobException if it is an object that is missing or damaged
     */
    public byte[] whole(BuildId id) {
        return BlobPlace.whole(() -> place(id, jdbc.sql(select)), objects).orElse(new byte[0]);
    }

    /**
     * Opens the blob of a build, which is read in slices on demand. {@link SliceCache} has slices of all blobs; one that it lacks
     * takes a SELECT in {@code OpenBlob.place}, unless the blob is known to be an object.
     *
     * @param generation generation of the build, so that slices of a replaced blob are not mixed in
     * @throws CorruptBlobException now or during later reads, if the blob is damaged or has an unknown format
     */
    public T open(BuildId id, long generation) {
        SliceCache.Edition edition = new SliceCache.Edition(part, id, generation);
        Opened<T> known = directories.getIfPresent(edition);
        if (known != null) {
            return known.blob();
        }
        // Not loaded by the cache, which would delay other builds while a store is slow.
        Opened<T> opened = readDirectory(edition);
        Opened<T> others = directories.asMap().putIfAbsent(edition, opened);
        return (others == null ? opened : others).blob();
    }

    private Opened<T> readDirectory(SliceCache.Edition edition) {
        OpenBlob blob = new OpenBlob();
        BlobReader reader = (offset, length) -> slices.get(new SliceCache.Slice(edition, offset, length), blob::read);
        return new Opened<>(opener.apply(reader), StoredBlob.directoryBytes(reader));
    }

    /**
     * An open blob.
     *
     * @param bytes of its directory, decompressed, which has the first name of each block; names may be long
     */
    private record Opened<T>(T blob, int bytes) {}

    private static Optional<BlobPlace> place(BuildId id, JdbcClient.StatementSpec statement) {
        return statement
                .param("id", id.toBytes())
                .query((row, number) -> BlobPlace.of(row))
                .optional();
    }

    /** The bytes of an edition. Knows its object after the first slice, so that further ones need no database. */
    private final class OpenBlob {

        private volatile @Nullable StoredObject object;

        /** Returns the bytes of a slice, or fewer if the blob ends before; the reader checks the length. */
        byte[] read(SliceCache.Slice slice) {
            StoredObject known = object;
            if (known == null) {
                BlobPlace place = place(slice);
                object = place.object();
                return place.object() == null
                        ? place.bytes()
                        : objects.read(place.object(), slice.offset(), slice.length());
            }
            try {
                return objects.read(known, slice.offset(), slice.length());
            } catch (CorruptBlobException e) {
                BlobPlace now = place(slice);
                if (now.object() != null || now.size() != known.bytes()) {
                    throw e;
                }
                // The bytes were moved into the row, and the object was deleted.
                object = null;
                return now.bytes();
            }
        }

        private BlobPlace place(SliceCache.Slice slice) {
            if (slice.offset() >= MAX_BLOB_BYTES) {
                return BlobPlace.NONE;
            }
            return BlobTable.place(
                            slice.edition().id(),
                            jdbc.sql(selectSlice)
                                    // SQL counts from 1.
                                    .param("from", (int) slice.offset() + 1)
                                    .param("length", slice.length()))
                    .orElse(BlobPlace.NONE);
        }
    }
}
