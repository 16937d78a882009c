package dev.offsetd.server.webhooks;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.BodyCost;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The cost of bodies of webhooks grows with their length. */
@ChecklistRow(39)
class CostFuzzTests {

    @Test
    void costOfAWebhookGrowsWithItsText() throws IOException {
        BodyCost.requireLinear(
                "{\"url\":\"https://example.org/\",\"kinds\":[\"drift\"],\"sets\":[\"",
                "\"]}",
                request -> WebhookDraft.of(WebhooksController.body(request))
                        .filter()
                        .sets());
    }
}
