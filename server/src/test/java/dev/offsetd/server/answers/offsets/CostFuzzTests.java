package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.query.item.Item;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.testkit.BodyCost;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The cost of bodies with items, and of batches, grows with their length. */
@ChecklistRow(39)
class CostFuzzTests {

    @Test
    void costOfItemsGrowsWithTheirText() throws IOException {
        BodyCost.requireLinear(
                "[\"",
                "\"]",
                request -> QueryParameters.parse(
                                OffsetsController.query(request).items())
                        .stream()
                        .map(Item::text)
                        .toList());
    }

    @Test
    void costOfABatchGrowsWithItsText() throws IOException {
        String query = "{\"buildId\":\"" + "11".repeat(20) + "\",\"types\":[\"point\"]},";
        BodyCost.requireLinear(
                "[" + query.repeat(20) + "{\"buildId\":\"" + "11".repeat(20) + "\",\"types\":[\"",
                "\"]}]",
                request -> BatchController.queries(request).stream()
                        .map(each -> QueryParameters.parse(
                                        BatchEntry.of(each).query().items())
                                .toString())
                        .toList());
    }
}
