package dev.offsetd.server.extraction;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.store.StoredCatalogue;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Types of a build that are read and not stored yet. Queries read the types of the file until they are encoded, and then the
 * bytes that are about to be stored: the heap for the former belongs to the next file.
 */
public final class UnstoredTypes {

    /** Fair, so that queries do not delay the reader for long. */
    private final ReadWriteLock lock = new ReentrantReadWriteLock(true);

    private @Nullable TypeIndex types;

    UnstoredTypes(TypeIndex types) {
        this.types = types;
    }

    /** Runs a query on the types; empty if they will not be stored. */
    public <T> Optional<T> query(Function<TypeIndex, T> query) {
        lock.readLock().lock();
        try {
            return Optional.ofNullable(types).map(query);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Continues with the encoded types, when no query reads the others any more. */
    void encoded(byte[] catalogue) {
        set(StoredCatalogue.of(catalogue));
    }

    /** Ends all queries, because the rest of the file is unusable. */
    void withdraw() {
        set(null);
    }

    private void set(@Nullable TypeIndex next) {
        lock.writeLock().lock();
        try {
            types = next;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
