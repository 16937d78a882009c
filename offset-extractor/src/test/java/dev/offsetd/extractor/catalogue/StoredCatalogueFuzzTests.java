package dev.offsetd.extractor.catalogue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.blob.BlobOutput;
import dev.offsetd.extractor.blob.BlobParts;
import dev.offsetd.extractor.blob.CorruptBlobException;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Stored catalogues. With an even first byte the rest of the input is a blob. Checksums keep nearly all of those from
 * getting far, so with an odd one it is cut into four, and these become the blocks of a blob that is sound outside of
 * them.
 */
@ChecklistRow(1)
class StoredCatalogueFuzzTests {

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
                StoredCatalogue catalogue = StoredCatalogue.of(blob);
                int found = 0;
                for (String name : List.of("", "a", "point", "RED")) {
                    found += catalogue.definitionsNamed(name).size();
                    found += catalogue.enumeratorsNamed(name).size();
                }
                return found;
            } catch (CorruptBlobException e) {
                return -1;
            }
        });
    }

    /** A blob with a block in each of its four tables. */
    private static byte[] ofBlocks(byte[] data, int entries) {
        BlobOutput blob = new BlobOutput().bytes(new byte[BlobParts.HEADER_BYTES]);
        BlobOutput directory = new BlobOutput()
                .unsigned(1)
                .string("unit.c")
                .unsigned(1)
                .string("C")
                .unsigned(0);
        int part = data.length / 4;
        for (int table = 0; table < 4; table++) {
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
        int directoryOffset = blob.size();
        byte[] frame = BlobParts.frame(directory.toBytes());
        byte[] bytes = blob.bytes(frame).toBytes();
        ByteBuffer.wrap(bytes)
                .putInt(CatalogueFormat.MAGIC)
                .putInt(CatalogueFormat.FORMAT)
                .putLong(directoryOffset)
                .putInt(frame.length)
                .putInt(directory.size());
        return bytes;
    }
}
