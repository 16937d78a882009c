package dev.offsetd.server.storage;

import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.query.symbol.StoredSymbols;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The blobs of functions and lines of all builds. */
@Component
public class FrameTables extends BlobTable<StoredFrames> {

    /** Unpacked blocks that stay in memory for the next queries of a build, as long as there is heap for them: all of a kernel. */
    private static final int KEPT_BLOCKS = 4096;

    /** Heap for each byte of a range of code: its compressed and its decompressed bytes, and a number for each of these. */
    private static final int HEAP_OF_RANGE_BYTE = 6;

    private final AnswerHeap heap;

    FrameTables(Services services, AnswerHeap heap) {
        super(services, BuildPart.FRAMES, blob -> new StoredFrames(blob).keeping(KEPT_BLOCKS));
        this.heap = heap;
    }

    /**
     * Runs work that looks addresses of a build up when there is heap for it, on a thread that may compute.
     *
     * @param frames null if the work reads none
     * @param nameBytes limit of the bytes of the names of symbols, of which the work retains one at a time
     * @param work must not wait for the network, other than by reading the build, or read types or symbols through a method like this
     */
    public <T> T lookingUp(@Nullable StoredFrames frames, StoredSymbols symbols, long nameBytes, Supplier<T> work) {
        long ofRange = frames == null ? 0 : frames.mostBytesOfRange() * HEAP_OF_RANGE_BYTE;
        return heap.computing(ofRange + SymbolTables.heapOf(symbols, 1, nameBytes), work);
    }
}
