package dev.offsetd.query.store;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.util.List;

/**
 * Blobs of stored catalogues. Checksums keep nearly all of them from getting past their header; what is behind those is
 * the matter of {@link CatalogueAnswersFuzzTests}.
 */
@ChecklistRow(1)
class StoredCatalogueFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        // A block is inflated to the size that it claims, which its own writer keeps below this one.
        HostileRun.answer("blob", HostileRun.allocationBound(data.length) + BlobParts.MAX_BLOCK_BYTES, () -> {
            try {
                StoredCatalogue catalogue = StoredCatalogue.of(data);
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
}
