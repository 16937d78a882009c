package dev.offsetd.server.catalogues;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.catalogue.BlobReader;
import dev.offsetd.extractor.catalogue.StoredCatalogue;
import dev.offsetd.extractor.layout.BuildId;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The catalogue blobs of all builds. What was read of them lately is kept in memory, up to a number of bytes, so that a
 * popular build's blocks are fetched from the database once.
 */
@Component
public class Catalogues {

    private final JdbcClient jdbc;
    private final Cache<Slice, byte[]> slices;

    Catalogues(JdbcClient jdbc, CatalogueProperties properties) {
        this.jdbc = jdbc;
        this.slices = Caffeine.newBuilder()
                .maximumWeight(properties.cache().toBytes())
                .weigher((Slice slice, byte[] bytes) -> Slice.OVERHEAD_BYTES + bytes.length)
                .build();
    }

    /** Stores a build's catalogue in place of any that it has; part of the caller's transaction. */
    public void store(BuildId id, byte[] blob) {
        jdbc.sql("""
                        insert into catalogues (build_id, bytes, blob) values (:id, :bytes, :blob)
                        on conflict (build_id) do update set bytes = excluded.bytes, blob = excluded.blob
                        """)
                .param("id", id.toBytes())
                .param("bytes", blob.length)
                .param("blob", blob)
                .update();
    }

    /**
     * The types of a build that is stored.
     *
     * @param generation the build's, so that slices of a blob that was replaced are not mixed in
     */
    public StoredCatalogue open(BuildId id, long generation) {
        BlobReader blob = (offset, length) -> slices.get(new Slice(id, generation, offset, length), this::read);
        return new StoredCatalogue(blob);
    }

    private byte[] read(Slice slice) {
        byte[] bytes = jdbc.sql("select substring(blob from :from for :length) from catalogues where build_id = :id")
                // SQL counts from 1, and in 32 bits: a blob is smaller than 1 GiB.
                .param("from", Math.toIntExact(slice.offset() + 1))
                .param("length", slice.length())
                .param("id", slice.id().toBytes())
                .query((row, number) -> row.getBytes(1))
                .optional()
                .orElseThrow(() -> new IllegalStateException("build " + slice.id() + " has no catalogue"));
        if (bytes.length != slice.length()) {
            throw new IllegalStateException("catalogue of build " + slice.id() + " has " + bytes.length + " bytes at "
                    + slice.offset() + "; expected " + slice.length());
        }
        return bytes;
    }

    private record Slice(BuildId id, long generation, long offset, int length) {
        /** About what the key, the array's header and the cache's own entry take. */
        static final int OVERHEAD_BYTES = 200;
    }
}
