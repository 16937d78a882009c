package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.io.TempDir;

/**
 * The link to a supplementary file. An odd first byte of the input says that the rest is a {@code .gnu_debugaltlink}
 * section, an even one that it is {@code .debug_sup}.
 */
@ChecklistRow(1)
class SupplementaryLinkFuzzTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);
    private static final DwarfSections SECTIONS =
            DwarfWriter.write(DwarfStyle.DEFAULT, unit(baseType("int", 4, DW_ATE_signed)));

    @TempDir
    private static Path folder;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        byte[] link = Arrays.copyOfRange(data, 1, data.length);
        byte[] elf = SECTIONS.toElf()
                .section((data[0] & 1) != 0 ? ".gnu_debugaltlink" : ".debug_sup", link)
                .toBytes();
        Path file = Files.write(folder.resolve("linking"), elf);
        HostileRun.answer(
                "link",
                HostileRun.allocationBound(elf.length),
                () -> DebugInfo.read(file, OPTIONS, DebugInfo::extractAll));
    }
}
