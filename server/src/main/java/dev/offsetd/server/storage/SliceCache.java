package dev.offsetd.server.storage;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.builds.BuildId;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.springframework.stereotype.Component;

/**
 * Bounded cache of slices of all stored blobs, so that the blocks of a popular build are read once. A slow read delays only callers
 * that need its slice: it runs in the thread of the first one, and holds no lock of the cache.
 */
@Component
class SliceCache {

    /** An entry is a read in progress or its result, so a caller never misses a read that ends while it looks for both. */
    private final AsyncCache<Slice, byte[]> slices;

    SliceCache(CatalogueProperties properties) {
        this.slices = Caffeine.newBuilder()
                .maximumWeight(properties.cache().toBytes())
                .weigher((Slice slice, byte[] bytes) -> Slice.OVERHEAD_BYTES + bytes.length)
                .buildAsync();
    }

    /** Returns the bytes of a slice, from the cache or read now. Callers that need the same slice share the read and its failure. */
    byte[] get(Slice slice, Function<Slice, byte[]> read) {
        CompletableFuture<byte[]> mine = new CompletableFuture<>();
        CompletableFuture<byte[]> others = slices.asMap().putIfAbsent(slice, mine);
        if (others != null) {
            return shared(others);
        }
        try {
            byte[] bytes = read.apply(slice);
            mine.complete(bytes);
            return bytes;
        } catch (Throwable e) {
            // Errors too: the waiting callers must be notified. The cache drops what failed.
            mine.completeExceptionally(e);
            throw e;
        }
    }

    private static byte[] shared(CompletableFuture<byte[]> read) {
        try {
            return read.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : e;
        }
    }

    /**
     * A blob of a build.
     *
     * @param generation generation of the build, so that slices of a replaced blob are not mixed in
     */
    record Edition(BuildPart part, BuildId id, long generation) implements Comparable<Edition> {

        private static final Comparator<Edition> ORDER = Comparator.comparing(Edition::id)
                .thenComparingLong(Edition::generation)
                .thenComparing(Edition::part);

        @Override
        public int compareTo(Edition other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * A part of a blob.
     *
     * @param offset bytes from the start of the blob
     * @param length bytes of the slice
     */
    record Slice(Edition edition, long offset, int length) implements Comparable<Slice> {

        /** Approximate heap of the key, the array header and the cache's entry. */
        static final int OVERHEAD_BYTES = 200;

        private static final Comparator<Slice> ORDER = Comparator.comparing(Slice::edition)
                .thenComparingLong(Slice::offset)
                .thenComparingInt(Slice::length);

        @Override
        public int compareTo(Slice other) {
            return ORDER.compare(this, other);
        }
    }
}
