package dev.offsetd.query.store;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;

/**
 * Every kind of query on a stored catalogue with valid checksums and arbitrary content. {@link CatalogueParts}
 * describes the input format.
 */
@ChecklistRow(1)
class CatalogueAnswersFuzzTests {

    /**
     * Upper bound on the number of catalogue reads: each query reads the catalogue again, in up to three views and four
     * representations.
     */
    private static final int QUESTIONS = 32;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        byte[] blob = CatalogueParts.pack(data);
        HostileRun.answer("catalogue", QUESTIONS * HostileRun.allocationBound(data.length), () -> {
            int answered = 0;
            for (CatalogueQueries.Query query : CatalogueQueries.ALL) {
                try {
                    query.run(StoredCatalogue.of(blob));
                    answered++;
                } catch (CorruptBlobException e) {
                    // An expected outcome: the blob is corrupt. Continue, as other queries may not touch the corrupt
                    // part.
                }
            }
            return answered;
        });
    }
}
