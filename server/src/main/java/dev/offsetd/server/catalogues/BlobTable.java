package dev.offsetd.server.catalogues;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.BlobReader;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A table that has one blob for each build.
 *
 * @param <T> what a blob is once it is open
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
     * A table.
     *
     * @param name of the table; never from outside
     * @param open how many blobs are kept open
     * @param opener reads a blob's directory
     */
    BlobTable(JdbcClient jdbc, String name, SliceCache slices, int open, Function<BlobReader, T> opener) {
        this.jdbc = jdbc;
        this.name = name;
        this.slices = slices;
        this.opener = opener;
        // The directory of a blob has the first name of each block, which may be long; it is read again if it had to
        // go.
        this.open = Caffeine.newBuilder().maximumSize(open).softValues().build();
        this.upsert = "insert into " + name + """
                 (build_id, bytes, blob) values (:id, :bytes, :blob)
                on conflict (build_id) do update set bytes = excluded.bytes, blob = excluded.blob
                """;
        this.select = "select blob from " + name + " where build_id = :id";
        this.selectSlice = "select substring(blob from :from for :length) from " + name + " where build_id = :id";
    }

    /** Stores a build's blob in place of any that it has; part of the caller's transaction. */
    void store(BuildId id, byte[] blob) {
        jdbc.sql(upsert)
                .param("id", id.toBytes())
                .param("bytes", blob.length)
                .param("blob", blob)
                .update();
    }

    /** The whole blob of a build; empty if it has none. */
    byte[] whole(BuildId id) {
        return jdbc.sql(select)
                .param("id", id.toBytes())
                .query((row, number) -> row.getBytes(1))
                .optional()
                .orElse(new byte[0]);
    }

    /**
     * The blob of a build, read as it is used.
     *
     * @param generation the build's, so that slices of a blob that was replaced are not mixed in
     */
    T open(BuildId id, long generation) {
        return open.get(new SliceCache.Edition(name, id, generation), this::open);
    }

    private T open(SliceCache.Edition edition) {
        return opener.apply((offset, length) -> slices.get(new SliceCache.Slice(edition, offset, length), this::read));
    }

    /** The bytes, or fewer if the blob ends before: who reads it compares. */
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
