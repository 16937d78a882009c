package dev.offsetd.extractor.btf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.nio.ByteOrder;

/** BTF: the input is a {@code .BTF} section, whose first byte tells its byte order as in any. */
class BtfFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        ByteOrder order = data.length > 0 && data[0] == (byte) 0xeb ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        HostileRun.answer(
                "section",
                HostileRun.allocationBound(data.length),
                () -> BtfTypes.definitions(BtfWriter.section(data, order), 8, Limits.DEFAULT));
    }
}
