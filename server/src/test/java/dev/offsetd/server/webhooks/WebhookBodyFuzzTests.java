package dev.offsetd.server.webhooks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Bodies of webhooks that are created or changed. */
class WebhookBodyFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileBody.read(data, request -> {
            WebhookDraft draft = WebhookDraft.of(WebhooksController.body(request));
            return Stream.of(
                            List.of(draft.url().toString()),
                            draft.filter().kinds(),
                            draft.filter().sets())
                    .flatMap(List::stream)
                    .toList();
        });
    }
}
