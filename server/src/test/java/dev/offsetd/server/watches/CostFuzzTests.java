package dev.offsetd.server.watches;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.BodyCost;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The cost of bodies of watches grows with their length. */
@ChecklistRow(39)
class CostFuzzTests {

    @Test
    void costOfAWatchGrowsWithItsText() throws IOException {
        BodyCost.requireLinear(
                "{\"name\":\"ours\",\"kind\":\"folder\",\"url\":\"file:///srv/builds\",\"typeSets\":[\"",
                "\"]}",
                request ->
                        WatchesController.draft(WatchesController.body(request)).typeSets());
    }
}
