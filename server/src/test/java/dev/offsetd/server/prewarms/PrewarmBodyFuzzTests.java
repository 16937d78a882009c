package dev.offsetd.server.prewarms;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.util.List;

/** Bodies of prewarms. */
class PrewarmBodyFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileBody.read(data, request -> {
            List<String> types = PrewarmBatchesController.draft(request).types();
            try {
                ItemParser.parseEach(types);
            } catch (ItemSyntaxException refused) {
                // The store refuses it, as it does for every list of items.
                return List.of();
            }
            return types;
        });
    }
}
