package dev.offsetd.server.answers.offsets;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.query.item.Item;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Fuzz tests of the request bodies of single and batch queries. */
class QueryBodyFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileBody.read(data, request -> parsed(OffsetsController.query(request)));
        HostileBody.read(data, request -> {
            List<String> items = new ArrayList<>();
            for (JsonNode entry : BatchController.queries(request)) {
                BatchReplies.buildId(entry).ifPresent(items::add);
                items.addAll(parsed(BatchEntry.of(entry).query()));
            }
            return items;
        });
    }

    private static List<String> parsed(OffsetsQuery query) {
        return QueryParameters.parse(query.items()).stream().map(Item::text).toList();
    }
}
