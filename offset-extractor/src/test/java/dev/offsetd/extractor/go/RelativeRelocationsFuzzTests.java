package dev.offsetd.extractor.go;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/** Tables of relocations, also those that Android packs, for 32 and 64 bits. */
class RelativeRelocationsFuzzTests {

    /** A group of 100,000 equal relocations takes a few bytes. */
    private static final Limits LIMITS = Limits.DEFAULT.withMaxKeptBytes(64 * 100_000);

    private static final int RELATIVE = 8;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        Section table = new Section(".rela.dyn", MemorySegment.ofArray(data), ByteOrder.LITTLE_ENDIAN);
        for (int word : new int[] {Integer.BYTES, Long.BYTES}) {
            HostileRun.answer("relocations", HostileRun.allocationBound(data.length), () -> {
                        HeapBudget heap = new HeapBudget(LIMITS.maxKeptBytes());
                        return RelativeRelocations.read(table, word, RELATIVE, LIMITS, heap);
                    })
                    .ifPresent(RelativeRelocationsFuzzTests::requireOrder);
        }
    }

    private static void requireOrder(RelativeRelocations.Pointers pointers) {
        long[] places = pointers.places();
        for (int i = 1; i < places.length; i++) {
            if (places[i] < places[i - 1]) {
                throw new AssertionError("a place behind 0x" + Long.toHexString(places[i]) + " comes before it");
            }
        }
    }
}
