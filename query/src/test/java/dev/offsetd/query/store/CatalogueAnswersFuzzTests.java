package dev.offsetd.query.store;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;

/**
 * Answers out of a stored catalogue whose checksums hold and whose contents are anything: every kind of question that
 * the server takes to a catalogue is asked of it. The input is as {@link CatalogueParts} describes it.
 */
@ChecklistRow(1)
class CatalogueAnswersFuzzTests {

    /** Each question reads the catalogue again, and there are some thirty of them, in three views and four representations. */
    private static final int QUESTIONS = 32;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        byte[] blob = CatalogueParts.pack(data);
        HostileRun.answer("catalogue", QUESTIONS * HostileRun.allocationBound(data.length), () -> {
            int answered = 0;
            for (CatalogueQuestions.Question question : CatalogueQuestions.ALL) {
                try {
                    question.ask(StoredCatalogue.of(blob));
                    answered++;
                } catch (CorruptBlobException e) {
                    // The store's fault, and said so. Another question may not come to the broken place.
                }
            }
            return answered;
        });
    }
}
