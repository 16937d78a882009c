package dev.offsetd.query.symbol;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.query.store.BlobOutput;
import dev.offsetd.query.store.BlobParts;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredBlob;
import java.io.IOException;
import java.util.Arrays;

/**
 * Stored symbols. With an even first byte the rest of the input is a blob. Checksums keep nearly all of those from getting
 * far, so with an odd one it is cut into three, and these become the blocks of a blob that is sound outside of them.
 */
@ChecklistRow(1)
class StoredSymbolsFuzzTests {

    private static final int TABLES = 3;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(data, 1, data.length);
        byte[] blob = (data[0] & 1) == 0 ? rest : ofBlocks(rest, data[0] >>> 1 & 0x7f);
        // A block is inflated to the size that it claims, which its own writer keeps below this one.
        HostileRun.answer("blob", HostileRun.allocationBound(data.length) + BlobParts.MAX_BLOCK_BYTES, () -> {
            try {
                StoredSymbols symbols = StoredSymbols.of(blob);
                return symbols.find(SymbolPattern.of("a*")).size()
                        + symbols.findFamily(SymbolPattern.of("main")).size()
                        + symbols.aliasesOf("a", SearchBudget.unlimited()).size()
                        + symbols.at(0).size()
                        + symbols.at(16).size();
            } catch (CorruptBlobException e) {
                return -1;
            }
        });
    }

    /** A blob with a block in each of its tables, of one version, section and source. */
    private static byte[] ofBlocks(byte[] data, int entries) {
        BlobOutput blob = StoredBlob.begin();
        BlobOutput directory = new BlobOutput()
                .unsigned(0)
                .unsigned(0)
                .unsigned(1)
                .string("V")
                .unsigned(1)
                .unsigned(1)
                .unsigned(0)
                .unsigned(1)
                .string(".text")
                .unsigned(64)
                .unsigned(1)
                .unsigned(1)
                .unsigned(0)
                .unsigned(0);
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
        directory.unsigned(64);
        return StoredBlob.finish(blob, SymbolsFormat.MAGIC, SymbolsFormat.FORMAT, directory);
    }
}
