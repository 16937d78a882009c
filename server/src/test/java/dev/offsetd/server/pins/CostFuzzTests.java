package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.BodyCost;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cost of bodies of pins grows with their length. */
@ChecklistRow(39)
class CostFuzzTests {

    private static final BuildId PINNED = BuildId.parse("11".repeat(20));
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void costOfAPinGrowsWithItsText() throws IOException {
        BodyCost.requireLinear("{\"item\":\"", "\",\"value\":{\"size\":8},\"reason\":\"why\"}", request -> {
            PinDraft draft = PinJson.draft(PinsController.body(request), PINNED);
            return List.of(DraftRules.broken(draft, NOW).toString());
        });
    }
}
