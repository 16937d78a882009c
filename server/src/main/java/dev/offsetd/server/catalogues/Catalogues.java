package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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

    /** Heap for each byte of a stored type while it is answered: its records, and what is written of them. */
    private static final int HEAP_OF_BLOCK_BYTE = 12;

    /** As much again, and what differs, while a type is compared. */
    private static final int HEAP_OF_COMPARED_BYTE = 24;

    private final AnswerHeap heap;
    private final BlobTable<StoredCatalogue> table;
    private final ObjectProvider<CatalogueListener> listeners;

    /** @param listeners asked for once there is something to tell: some need what is in this package */
    Catalogues(
            JdbcClient jdbc,
            SliceCache slices,
            CatalogueProperties properties,
            AnswerHeap heap,
            ObjectProvider<CatalogueListener> listeners) {
        this.heap = heap;
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
     * Reads types of a stored build, once there is heap for it.
     *
     * @param types how many are read at most
     * @param work must not wait for the network, nor read another build's types so
     */
    public <T> T reading(StoredCatalogue stored, int types, Supplier<T> work) {
        return heap.keeping(stored.mostBytes(types) * HEAP_OF_BLOCK_BYTE, work);
    }

    /** Compares types of stored builds, once there is heap for it; else as {@link #reading}. */
    public <T> T comparing(Collection<StoredCatalogue> stored, int types, Supplier<T> work) {
        long bytes = stored.stream().mapToLong(one -> one.mostBytes(types)).sum();
        return heap.keeping(bytes * HEAP_OF_COMPARED_BYTE, work);
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

    private boolean differ(StoredCatalogue one, StoredCatalogue other) {
        Set<String> names = new TreeSet<>(one.qualifiedNames());
        names.addAll(other.qualifiedNames());
        Set<String> few = new HashSet<>();
        for (Iterator<String> i = names.iterator(); i.hasNext(); ) {
            few.add(i.next());
            // A few at a time, so that the first difference ends it.
            if (few.size() == COMPARED_AT_A_TIME || !i.hasNext()) {
                boolean same = comparing(
                        List.of(one, other),
                        COMPARED_AT_A_TIME,
                        () -> LayoutDiff.ofNames(few, one, other, Optional.empty())
                                .isEmpty());
                if (!same) {
                    return true;
                }
                few.clear();
            }
        }
        return false;
    }
}
