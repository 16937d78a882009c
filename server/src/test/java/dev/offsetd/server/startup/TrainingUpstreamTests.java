package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingUpstreamTests {

    @TempDir
    Path folder;

    @Test
    void everyBuildIsThereAndNothingElse() throws Exception {
        try (TrainingUpstream upstream = TrainingUpstream.start(folder.resolve("upstream"));
                HttpClient client = HttpClient.newHttpClient()) {
            for (int number = 0; number < 3; number++) {
                BuildId id = TrainingUpstream.build(number);
                HttpResponse<Path> found = client.send(
                        request(upstream, id + "/debuginfo"),
                        HttpResponse.BodyHandlers.ofFile(folder.resolve(id + ".debug")));
                assertThat(found.statusCode()).isEqualTo(200);
                assertThat(DebugInfo.read(found.body(), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::buildId))
                        .hasValue(id);
            }
            assertThat(client.send(
                                    request(upstream, TrainingUpstream.build(0) + "/executable"),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    private static HttpRequest request(TrainingUpstream upstream, String path) {
        return HttpRequest.newBuilder(URI.create(upstream.url() + "buildid/" + path))
                .build();
    }
}
