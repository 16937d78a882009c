package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.blob.CorruptBlobException;
import dev.offsetd.extractor.catalogue.StoredCatalogue;
import dev.offsetd.extractor.diff.LayoutDiff;
import dev.offsetd.extractor.layout.BuildId;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The catalogue blobs of all builds. */
@Component
public class Catalogues {

    private static final Logger log = LoggerFactory.getLogger(Catalogues.class);

    private static final int COMPARED_AT_A_TIME = 500;

    /** Blocks up to this size are of ordinary builds. */
    private static final int LARGE_BLOCK_BYTES = 1 << 20;

    /** Heap for each byte of a stored type while it is answered: its records, and what is written of them. */
    private static final int HEAP_OF_BLOCK_BYTE = 12;

    /** Heap, in mebibytes, for reading types that are large: an eighth of all. */
    private static final int LARGE_TYPES_MEBIBYTES =
            Math.clamp(Runtime.getRuntime().maxMemory() >> 23, 1, Integer.MAX_VALUE);

    private final Semaphore largeTypes = new Semaphore(LARGE_TYPES_MEBIBYTES, true);
    private final BlobTable<StoredCatalogue> table;
    private final ObjectProvider<CatalogueListener> listeners;

    /** @param listeners asked for once there is something to tell: some need what is in this package */
    Catalogues(
            JdbcClient jdbc,
            SliceCache slices,
            CatalogueProperties properties,
            ObjectProvider<CatalogueListener> listeners) {
        this.listeners = listeners;
        this.table = new BlobTable<>(jdbc, "catalogues", slices, properties.open(), StoredCatalogue::new);
    }

    /** Stores a build's catalogue in place of any that it has; part of the caller's transaction. */
    public void store(BuildId id, byte[] blob) {
        table.store(id, blob);
        listeners.forEach(listener -> listener.stored(id, () -> StoredCatalogue.of(blob)));
    }

    /**
     * The types of a build that is stored.
     *
     * @param generation the build's, so that slices of a blob that was replaced are not mixed in
     * @throws CorruptBlobException here or later, if what is stored is no catalogue of a format known here
     */
    public StoredCatalogue open(BuildId id, long generation) {
        return table.open(id, generation);
    }

    /**
     * Does work on the types of a stored build, once there is heap for it: of a build with a type of many megabytes only so
     * many are read at a time, so that any number of callers can ask for it.
     *
     * @param work must not wait for the network
     */
    public <T> T reading(BuildId id, long generation, Supplier<T> work) {
        long block = open(id, generation).largestBlockBytes();
        if (block <= LARGE_BLOCK_BYTES) {
            return work.get();
        }
        int permits = (int) Math.min(LARGE_TYPES_MEBIBYTES, ((block * HEAP_OF_BLOCK_BYTE) >> 20) + 1);
        largeTypes.acquireUninterruptibly(permits);
        try {
            return work.get();
        } finally {
            largeTypes.release(permits);
        }
    }

    /**
     * Whether the stored catalogue of a build has other layouts than this one: a type of another size, with members at
     * other places, or that only one of them has. Takes seconds for large catalogues, and must not be called in a
     * transaction.
     *
     * @return empty if what is stored cannot be read
     */
    public Optional<Boolean> layoutsDiffer(BuildId id, byte[] other) {
        byte[] stored = table.whole(id);
        if (Arrays.equals(stored, other)) {
            return Optional.of(false);
        }
        try {
            return Optional.of(differ(StoredCatalogue.of(stored), StoredCatalogue.of(other)));
        } catch (CorruptBlobException e) {
            log.warn("build {}: what is stored cannot be compared: {}", id, e.getMessage());
            return Optional.empty();
        }
    }

    private static boolean differ(StoredCatalogue one, StoredCatalogue other) {
        Set<String> names = new TreeSet<>(one.qualifiedNames());
        names.addAll(other.qualifiedNames());
        Set<String> few = new HashSet<>();
        for (Iterator<String> i = names.iterator(); i.hasNext(); ) {
            few.add(i.next());
            // A few at a time, so that the first difference ends it.
            if (few.size() == COMPARED_AT_A_TIME || !i.hasNext()) {
                if (!LayoutDiff.ofNames(few, one, other, Optional.empty()).isEmpty()) {
                    return true;
                }
                few.clear();
            }
        }
        return false;
    }
}
