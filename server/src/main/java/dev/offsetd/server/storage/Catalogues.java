package dev.offsetd.server.storage;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** The catalogue blobs of all builds. */
@Component
public class Catalogues extends BlobTable<StoredCatalogue> {

    /** Heap for each byte of a compared type: two sets of records, and the differences. */
    private static final int HEAP_OF_COMPARED_BYTE = 24;

    /** Heap for each member that an answer lists: its placement, and the rendered bytes. */
    private static final int HEAP_OF_MEMBER = 256;

    /** Heap for each byte of a whole catalogue: the blob, a copy while it is received, and the symbols. */
    private static final int HEAP_OF_WHOLE_BYTE = 3;

    private final AnswerHeap heap;
    private final ObjectProvider<CatalogueListener> listeners;

    /** @param listeners resolved late, because some depend on this package */
    Catalogues(Services services, AnswerHeap heap, ObjectProvider<CatalogueListener> listeners) {
        super(services, BuildPart.TYPES, StoredCatalogue::new);
        this.heap = heap;
        this.listeners = listeners;
    }

    /**
     * Notifies {@code pins.PinComparison} of types that are stored next. Must not be called in a transaction.
     *
     * @return stores what it derives from them, in the transaction that stores the types
     */
    public Runnable derived(BuildId id, byte[] types) {
        List<Runnable> all = listeners.stream()
                .map(listener -> listener.storing(id, () -> StoredCatalogue.of(types)))
                .toList();
        return () -> all.forEach(Runnable::run);
    }

    /** Returns whether symbols or a symbol table of a stored build were left out; false if that is unreadable. */
    public boolean lackSymbols(BuildId id, long generation) {
        try {
            return Omission.areOfSymbols(open(id, generation).omissions());
        } catch (CorruptBlobException e) {
            return false;
        }
    }

    /**
     * Runs work that reads types of a stored build when there is heap for it.
     *
     * @param types limit of types that the work looks up
     * @param work begins again if the types hold very large ones by value; must not wait for the network, other than by reading
     *     the build, or read another build's types through this method
     */
    public <T> T reading(StoredCatalogue stored, int types, Supplier<T> work) {
        return heap.reading(stored.mostBytes(types), AnswerHeap.OF_TYPES_BYTE, work);
    }

    /** Runs work that lists members of types in memory when there is heap for it, see {@link #reading}. */
    public <T> T listing(long members, Supplier<T> work) {
        return heap.keeping(members * HEAP_OF_MEMBER, work);
    }

    /**
     * Runs work on a build's whole catalogue when there is heap for it.
     *
     * @param work must not wait for the network, other than by reading the build, or read another build's types through this method
     */
    public <T> T whole(BuildId id, Function<byte[], T> work) {
        return heap.computing(bytes(id) * HEAP_OF_WHOLE_BYTE, () -> work.apply(whole(id)));
    }

    /** Runs work that compares types of stored builds when there is heap for it, see {@link #reading}. */
    public <T> T comparing(Collection<StoredCatalogue> stored, int types, Supplier<T> work) {
        long bytes = stored.stream().mapToLong(one -> one.mostBytes(types)).sum();
        return heap.reading(bytes, HEAP_OF_COMPARED_BYTE, () -> heap.computing(0, work));
    }
}
