package dev.offsetd.query.store;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.util.Arrays;

/**
 * Stored functions and lines. With an even first byte the rest of the input is a blob; with an odd one it is cut into three, and
 * these become the blocks of a blob that is sound outside of them.
 */
@ChecklistRow(1)
class StoredFramesFuzzTests {

    private static final int TABLES = 3;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(data, 1, data.length);
        byte[] blob = (data[0] & 1) == 0 ? rest : ofBlocks(rest, data[0] >>> 1 & 0x7f);
        HostileRun.answer("blob", HostileRun.allocationBound(data.length) + BlobParts.MAX_BLOCK_BYTES, () -> {
            try {
                StoredFrames.Lookups frames = StoredFrames.of(blob).lookups();
                return frames.at(0).size()
                        + frames.at(16).size()
                        + frames.at(-1).size();
            } catch (CorruptBlobException e) {
                return -1;
            }
        });
    }

    private static byte[] ofBlocks(byte[] data, int entries) {
        BlobOutput blob = StoredBlob.begin();
        BlobOutput directory = new BlobOutput().unsigned(0);
        int part = data.length / TABLES;
        for (int table = 0; table < TABLES; table++) {
            byte[] raw = Arrays.copyOfRange(data, table * part, (table + 1) * part);
            byte[] frame = BlobParts.frame(raw);
            directory
                    .unsigned(entries)
                    .unsigned(1)
                    .unsigned(blob.size())
                    .unsigned(frame.length)
                    .unsigned(raw.length)
                    .unsigned(0)
                    .string("");
            blob.bytes(frame);
        }
        return StoredBlob.finish(blob, FramesFormat.MAGIC, FramesFormat.FORMAT, directory.unsigned(0));
    }
}
