package dev.offsetd.server.watches;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.server.testkit.HostileBody;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Bodies of watches that are created. */
class WatchBodyFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileBody.read(data, request -> {
            Watch.Draft draft = WatchesController.draft(WatchesController.body(request));
            RepositoryDescription place = draft.place();
            // The database keeps this text.
            String stored = JsonMapper.shared().writeValueAsString(place);
            if (!JsonMapper.shared()
                    .readValue(stored, RepositoryDescription.class)
                    .equals(place)) {
                throw new AssertionError("stored as " + stored + ", it is not " + place);
            }
            return Stream.of(
                            List.of(draft.name(), place.url()),
                            draft.typeSets(),
                            place.names(),
                            place.files(),
                            place.components(),
                            place.architectures())
                    .flatMap(List::stream)
                    .toList();
        });
    }
}
