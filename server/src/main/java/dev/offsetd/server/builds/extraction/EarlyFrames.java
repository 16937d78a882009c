package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.query.store.FramesWriter;
import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.server.builds.FrameState;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Functions and lines at the addresses that the callers of one reading wait for. They are read first, from the units that cover
 * them, and answer these callers before the whole file has been read. Thread-safe.
 */
final class EarlyFrames {

    private final Set<Long> wanted = new TreeSet<>();
    private final CompletableFuture<FrameState> found = new CompletableFuture<>();
    private boolean begun;

    /**
     * Adds the addresses of a caller.
     *
     * @return completes when the functions and lines there are known; never if they are read with the whole file only
     */
    synchronized CompletableFuture<FrameState> add(Set<Long> addresses) {
        Set<Long> all = new TreeSet<>(wanted);
        all.addAll(addresses);
        if (addresses.isEmpty() || all.size() > (begun ? wanted.size() : FrameReads.MAX_EARLY)) {
            return new CompletableFuture<>();
        }
        wanted.addAll(addresses);
        return found;
    }

    /** Returns the addresses that are wanted, after which no others are added. */
    private synchronized long[] begin() {
        begun = true;
        return wanted.stream().mapToLong(Long::longValue).toArray();
    }

    /** Reads the functions and lines that callers wait for. */
    void read(DebugInfo info, HeapBudget heap) throws IOException, ExtractionException {
        long[] addresses = begin();
        if (addresses.length > 0 && info.facts().hasDwarf()) {
            at(addresses, info, heap)
                    .ifPresent(
                            table -> found.complete(new FrameState.Early(StoredFrames.of(FramesWriter.encode(table)))));
        }
    }

    /**
     * Reads the functions and lines at addresses, and then releases their heap for those of the whole file.
     *
     * @return empty if the reading of the whole file decides: if there are none, or they take too much heap
     */
    static Optional<FrameTable> at(long[] addresses, DebugInfo info, HeapBudget heap)
            throws IOException, ExtractionException {
        long before = heap.keptBytes();
        try {
            // Whether the file has any functions and lines is not known before the whole is read.
            return Optional.of(info.frames(addresses))
                    .filter(table -> !table.ranges().isEmpty());
        } catch (LimitExceededException e) {
            return Optional.empty();
        } finally {
            heap.release(heap.keptBytes() - before);
        }
    }
}
