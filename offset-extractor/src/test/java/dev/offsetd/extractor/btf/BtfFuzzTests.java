package dev.offsetd.extractor.btf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.nio.ByteOrder;

/** BTF: the input is a {@code .BTF} section, whose first byte tells its byte order as in any. It is read alone, and as that of a
 * module whose kernel has the same. */
@ChecklistRow(1)
class BtfFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        ByteOrder order = data.length > 0 && data[0] == (byte) 0xeb ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        Section section = BtfWriter.section(data, order);
        HostileRun.answer(
                "section",
                HostileRun.allocationBound(data.length),
                () -> BtfTypes.catalogue(
                        BtfWriter.alone(section), 8, Limits.DEFAULT, new HeapBudget(Limits.DEFAULT.maxKeptBytes())));
        HostileRun.answer(
                "section on itself",
                HostileRun.allocationBound(2L * data.length),
                () -> BtfTypes.catalogue(
                        new BtfSections(section, Section.absent(".BTF.base", order), section),
                        8,
                        Limits.DEFAULT,
                        new HeapBudget(Limits.DEFAULT.maxKeptBytes())));
        HostileRun.answer(
                "section with its own distilled base",
                HostileRun.allocationBound(4L * data.length),
                () -> BtfTypes.catalogue(
                        new BtfSections(section, section, section),
                        8,
                        Limits.DEFAULT,
                        new HeapBudget(Limits.DEFAULT.maxKeptBytes())));
    }
}
