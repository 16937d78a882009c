package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Answers with 202 and the resource of a build state the progress of the work on it. */
@Timeout(120)
class BuildProgressIntegrationTests {

    private static final BuildId ID = BuildId.parse("ab".repeat(20));

    @Test
    void runningBuildSaysHowMuchOfItsFileHasArrivedAndHowLongTheRestTakes(@TempDir Path folder) throws Exception {
        TestDatabase database = TestDatabase.create();
        try (CountingUpstream upstream = new CountingUpstream();
                TestServer server = TestServer.start(
                        folder.resolve("one"), database, "offsetd.upstreams.urls=" + upstream.url("one"));
                TestServer other = TestServer.start(folder.resolve("two"), database, "offsetd.offline=true")) {
            byte[] file = Arrays.copyOf(SmallBuild.debugFile(ID), 160 << 10);
            CountDownLatch seen = new CountDownLatch(1);
            upstream.answerFirst(ID, upstream.inTwoHalves(file, seen));
            JsonNode progress = progress(server, "bytes");
            assertThat(progress.path("phase").asString()).isEqualTo("fetching");
            assertThat(progress.path("totalBytes").asLong()).isEqualTo(file.length);
            assertThat(progress.path("bytes").asLong()).isBetween(1L, (long) file.length);
            assertThat(Instant.parse(progress.path("startedAt").asString())).isBefore(Instant.now());
            assertThat(progress.path("secondsLeft").isIntegralNumber()).isTrue();
            JsonNode elsewhere = progress(other, "bytes");
            assertThat(elsewhere.path("totalBytes").asLong()).isEqualTo(file.length);
            assertThat(Instant.parse(elsewhere.path("startedAt").asString()))
                    .isCloseTo(Instant.parse(progress.path("startedAt").asString()), within(30, ChronoUnit.SECONDS));
            assertThat(elsewhere.path("secondsLeft").asLong(-1)).isBetween(0L, 60L);
            seen.countDown();

            HttpResponse<String> answer = server.offsets(ID, "point", "Prefer", "wait=30");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(Json.of(server.get("/v1/builds/" + ID)).has("progress")).isFalse();
        }
    }

    /** Asks until the progress has a member. */
    private static JsonNode progress(TestServer server, String member) throws InterruptedException {
        while (true) {
            HttpResponse<String> response = server.offsets(ID, "point", "Prefer", "wait=0");
            assertThat(response.statusCode()).isEqualTo(202);
            JsonNode progress = Json.of(response).path("progress");
            if (progress.has(member)) {
                return progress;
            }
            Thread.sleep(50);
        }
    }
}
