package dev.offsetd.server.catalogues;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.BlobReader;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A table with one blob for each build.
 *
 * @param <T> type of an open blob
 */
final class BlobTable<T> {

    /** Largest value of a PostgreSQL column. */
    private static final long MAX_BLOB_BYTES = 1L << 30;

    private final JdbcClient jdbc;
    private final String name;
    private final SliceCache slices;
    private final Function<BlobReader, T> opener;
    private final Cache<SliceCache.Edition, T> open;
    private final String upsert;
    private final String select;
    private final String selectSlice;

    /**
     * @param name name of the table; a constant, because it becomes part of statements
     * @param open limit of blobs that stay open
     * @param opener reads a blob's directory
     */
    BlobTable(JdbcClient jdbc, String name, SliceCache slices, int open, Function<BlobReader, T> opener) {
        this.jdbc = jdbc;
        this.name = name;
        this.slices = slices;
        this.opener = opener;
        // Soft values: the directory of a blob has the first name of each block, and names may be long. An evicted
        // directory is read again.
        this.open = Caffeine.newBuilder().maximumSize(open).softValues().build();
        this.upsert = "insert into " + name + """
                 (build_id, bytes, blob) values (:id, :bytes, :blob)
                on conflict (build_id) do update set bytes = excluded.bytes, blob = excluded.blob
                """;
        this.select = "select blob from " + name + " where build_id = :id";
        this.selectSlice = "select substring(blob from :from for :length) from " + name + " where build_id = :id";
    }

    /** Stores or replaces a build's blob. Part of the caller's transaction. */
    void store(BuildId id, byte[] blob) {
        jdbc.sql(upsert)
                .param("id", id.toBytes())
                .param("bytes", blob.length)
                .param("blob", blob)
                .update();
    }

    /** Returns the whole blob of a build; empty if it has none. */
    byte[] whole(BuildId id) {
        return jdbc.sql(select)
                .param("id", id.toBytes())
                .query((row, number) -> row.getBytes(1))
                .optional()
                .orElse(new byte[0]);
    }

    /**
     * Opens the blob of a build, which is read in slices on demand.
     *
     * @param generation generation of the build, so that slices of a replaced blob are not mixed in
     */
    T open(BuildId id, long generation) {
        return open.get(new SliceCache.Edition(name, id, generation), this::open);
    }

    private T open(SliceCache.Edition edition) {
        return opener.apply((offset, length) -> slices.get(new SliceCache.Slice(edition, offset, length), this::read));
    }

    /** Returns the bytes of a slice, or fewer if the blob ends before; the reader checks the length. */
    private byte[] read(SliceCache.Slice slice) {
        if (slice.offset() >= MAX_BLOB_BYTES) {
            return new byte[0];
        }
        return jdbc.sql(selectSlice)
                // SQL counts from 1.
                .param("from", (int) slice.offset() + 1)
                .param("length", slice.length())
                .param("id", slice.edition().id().toBytes())
                .query((row, number) -> row.getBytes(1))
                .optional()
                .orElse(new byte[0]);
    }
}
