package dev.offsetd.server.catalogues;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.layout.BuildId;
import java.util.function.Function;
import org.springframework.stereotype.Component;

/** Bounded cache of slices of all stored blobs, so that the blocks of a popular build are read once. */
@Component
class SliceCache {

    private final Cache<Slice, byte[]> slices;

    SliceCache(CatalogueProperties properties) {
        this.slices = Caffeine.newBuilder()
                .maximumWeight(properties.cache().toBytes())
                .weigher((Slice slice, byte[] bytes) -> Slice.OVERHEAD_BYTES + bytes.length)
                .build();
    }

    /** Returns the bytes of a slice, from the cache or read now. */
    byte[] get(Slice slice, Function<Slice, byte[]> read) {
        return slices.get(slice, read);
    }

    /**
     * A blob of a build.
     *
     * @param generation generation of the build, so that slices of a replaced blob are not mixed in
     */
    record Edition(String table, BuildId id, long generation) {}

    /**
     * A part of a blob.
     *
     * @param offset bytes from the start of the blob
     * @param length bytes of the slice
     */
    record Slice(Edition edition, long offset, int length) {
        /** Approximate heap of the key, the array header and the cache's entry. */
        static final int OVERHEAD_BYTES = 200;
    }
}
