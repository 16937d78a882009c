package dev.offsetd.extractor.elf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.omission.OmissionLog;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Symbol tables, versions, {@code .gnu_debugdata} and thread-local storage of a whole file as the input. */
@ChecklistRow(1)
class SymbolTableFuzzTests {

    private static final Limits LIMITS = Limits.DEFAULT
            .withMaxDecompressedBytes(1 << 20)
            .withMaxHeapSectionBytes(1 << 16)
            .withMaxMiniDebugInfoBytes(1 << 20);

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = arena.allocateFrom(ValueLayout.JAVA_BYTE, data);
            // .gnu_debugdata may decompress to far more than the file size and has a separate limit.
            HostileRun.answer(
                    "file", HostileRun.allocationBound(data.length + LIMITS.maxMiniDebugInfoBytes() / 16), () -> {
                        ElfFile elf = ElfFile.read(file, arena, LIMITS);
                        HeapBudget heap = new HeapBudget(LIMITS.maxKeptBytes());
                        int symbols = SymbolReader.read(elf, LIMITS, heap, new Deadline(LIMITS), new OmissionLog(heap))
                                .size();
                        return elf.tlsSegment().isPresent() ? symbols : -symbols;
                    });
        }
    }
}
