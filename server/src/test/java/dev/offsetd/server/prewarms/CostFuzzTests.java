package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.server.testkit.BodyCost;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cost of bodies of prewarms grows with their length. */
@ChecklistRow(39)
class CostFuzzTests {

    @Test
    void costOfAPrewarmGrowsWithItsText() throws IOException {
        BodyCost.requireLinear(
                "{\"name\":\"batch\",\"builds\":[\"" + "11".repeat(20) + "\"],\"types\":[\"", "\"]}", request -> {
                    List<String> types = PrewarmBatchesController.draft(request).types();
                    return List.of(ItemParser.parseEach(types).toString());
                });
    }
}
