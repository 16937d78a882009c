package dev.offsetd.extractor.elf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** ELF headers, section headers, notes, relocations, modules of core files: the input is a whole file. */
@ChecklistRow(1)
class ElfFileFuzzTests {

    private static final Limits LIMITS =
            Limits.DEFAULT.withMaxDecompressedBytes(1 << 20).withMaxHeapSectionBytes(1 << 16);

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = arena.allocateFrom(ValueLayout.JAVA_BYTE, data);
            HostileRun.answer("file", HostileRun.allocationBound(data.length), () -> {
                ElfFile elf = ElfFile.read(file, arena, LIMITS);
                long bytes = 0;
                for (String name : List.of(".debug_info", ".debug_abbrev", ".debug_str", ".BTF")) {
                    if (elf.hasContents(name)) {
                        bytes += elf.section(name).size();
                    }
                }
                return bytes;
            });
            HostileRun.answer(
                    "core file",
                    HostileRun.allocationBound(data.length),
                    () -> CoreFile.modules(ElfFile.read(file, arena, LIMITS), LIMITS)
                            .size());
        }
    }
}
