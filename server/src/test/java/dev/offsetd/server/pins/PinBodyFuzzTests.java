package dev.offsetd.server.pins;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** Bodies of pins that are created, edited and copied. */
class PinBodyFuzzTests {

    private static final BuildId PINNED = BuildId.parse("11".repeat(20));
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileBody.read(data, request -> {
            PinDraft draft = PinJson.draft(PinsController.body(request), PINNED);
            List<DraftCheck.Diagnostic> broken = DraftRules.broken(draft, NOW);
            if (!broken.isEmpty()) {
                throw PinProblems.bad(broken);
            }
            String value = PinJson.text(draft.value());
            if (!PinJson.ofText(value).equals(draft.value())) {
                throw new AssertionError("as text the value " + draft.value() + " is " + value);
            }
            return List.of(draft.item(), draft.reason(), value);
        });
        HostileBody.read(data, request -> {
            PinJson.Copy copy = PinJson.copy(PinsController.body(request));
            return List.of(copy.from().toString(), copy.to().toString());
        });
    }
}
