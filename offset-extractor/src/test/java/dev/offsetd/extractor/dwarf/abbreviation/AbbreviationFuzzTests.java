package dev.offsetd.extractor.dwarf.abbreviation;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;

/**
 * Abbreviation tables and the plans that are made of them. The first byte of the input says what unit they are for: two
 * bits of version, one of address size, one of format; the rest is the table.
 */
@ChecklistRow(1)
class AbbreviationFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        Section abbrev = new Section(
                ".debug_abbrev",
                MemorySegment.ofArray(Arrays.copyOfRange(data, 1, data.length)),
                ByteOrder.LITTLE_ENDIAN);
        int version = 2 + (data[0] & 3);
        int addressSize = (data[0] & 4) != 0 ? 4 : 8;
        int offsetSize = (data[0] & 8) != 0 ? 4 : 8;
        HostileRun.answer("table", HostileRun.allocationBound(data.length), () -> {
                    AbbreviationTable table = AbbreviationTable.read(abbrev, 0, new HashMap<>(), Limits.DEFAULT);
                    PlanCompiler compiler = new PlanCompiler(version, addressSize, offsetSize, false, false);
                    StringBuilder plans = new StringBuilder();
                    for (int code = 0; code < 256; code++) {
                        Abbreviation abbreviation = table.find(code, compiler);
                        if (abbreviation != null) {
                            plans.append(PlanCompilerTests.describe(abbreviation));
                        }
                    }
                    return table.size();
                })
                .ifPresent(size -> {
                    if (size > data.length) {
                        throw new AssertionError(size + " abbreviations out of " + data.length + " bytes");
                    }
                });
    }
}
