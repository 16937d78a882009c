package dev.offsetd.server.catalogues;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.layout.BuildId;
import java.util.function.Function;
import org.springframework.stereotype.Component;

/** What was read of all stored blobs lately, up to a number of bytes, so that a popular build's blocks are read once. */
@Component
class SliceCache {

    private final Cache<Slice, byte[]> slices;

    SliceCache(CatalogueProperties properties) {
        this.slices = Caffeine.newBuilder()
                .maximumWeight(properties.cache().toBytes())
                .weigher((Slice slice, byte[] bytes) -> Slice.OVERHEAD_BYTES + bytes.length)
                .build();
    }

    /** The bytes of a slice, from memory or read now. */
    byte[] get(Slice slice, Function<Slice, byte[]> read) {
        return slices.get(slice, read);
    }

    /**
     * A blob of a build.
     *
     * @param generation the build's, so that slices of a blob that was replaced are not mixed in
     */
    record Edition(String table, BuildId id, long generation) {}

    /**
     * A part of a blob.
     *
     * @param offset in bytes, counted from 0
     * @param length in bytes
     */
    record Slice(Edition edition, long offset, int length) {
        /** About what the key, the array's header and the cache's own entry take. */
        static final int OVERHEAD_BYTES = 200;
    }
}
