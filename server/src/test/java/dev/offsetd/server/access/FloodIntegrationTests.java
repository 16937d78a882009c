package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Floods of requests are bounded, and known builds are still answered. */
@ChecklistRow(23)
@Timeout(300)
class FloodIntegrationTests {

    private static final int WORKERS = 2;
    private static final int WAITING = 3;

    @TempDir
    private Path folder;

    @Test
    void floodOfUnknownBuildsIsBoundedAndKnownOnesAreAnswered() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        TestDatabase database = TestDatabase.create();
        try (GatedUpstream silent = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = TestServer.start(
                        folder.resolve("data"),
                        database,
                        "offsetd.upstreams.urls=" + silent.url(),
                        "offsetd.upstreams.headers-timeout=60s",
                        "offsetd.local-folders=" + folder.resolve("debug"),
                        "offsetd.extraction.max-concurrent=" + WORKERS,
                        "offsetd.extraction.max-waiting=" + WAITING)) {
            String known = server.offsets(SmallBuild.ID, "point").body();
            Map<Integer, Integer> statuses = new HashMap<>();
            for (int i = 0; i < 40; i++) {
                HttpResponse<String> response =
                        server.offsets(String.format("%040x", i + 1), "point", "Prefer", "wait=0");
                statuses.merge(response.statusCode(), 1, Integer::sum);
                if (response.statusCode() == 503) {
                    assertThat(Json.of(response).path("code").asString()).isEqualTo("busy");
                    assertThat(response.headers().firstValue("Retry-After")).isPresent();
                }
                assertThat(server.offsets(SmallBuild.ID, "point").body()).isEqualTo(known);
            }
            assertThat(statuses).containsOnlyKeys(202, 503);
            assertThat(statuses.get(202)).isLessThanOrEqualTo(WORKERS + WAITING);
            assertThat(silent.hits()).isLessThanOrEqualTo(WORKERS);
            // An answer from the database does not wait for a worker either.
            assertThat(server.offsets(SmallBuild.ID, "line").statusCode()).isEqualTo(200);
            silent.open();
        }
    }

    @Test
    void callerOverItsLimitIsToldWhenToRetry() {
        try (TestServer server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.rate-limit.token-requests=1",
                "offsetd.rate-limit.token-burst=2",
                "offsetd.rate-limit.address-requests=1",
                "offsetd.rate-limit.address-burst=2")) {
            String[] token = {
                "Authorization",
                "Bearer "
                        + server.bean(Tokens.class)
                                .create("ci", Set.of(Scope.READ), Duration.ofHours(1), Actor.operator("test"))
                                .text()
            };
            for (String[] caller : new String[][] {{}, token}) {
                HttpResponse<String> response;
                do {
                    response = server.offsets(SmallBuild.UNKNOWN_ID, "point", caller);
                } while (response.statusCode() == 404);
                assertThat(response.statusCode()).isEqualTo(429);
                assertThat(Json.of(response).path("code").asString()).isEqualTo("rate_limited");
                assertThat(response.headers().firstValue("Retry-After")).contains("1");
                assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
                // Health checks and whoami are not limited.
                assertThat(server.get("/livez", caller).statusCode()).isEqualTo(200);
                assertThat(server.get("/readyz", caller).statusCode()).isEqualTo(200);
                assertThat(Json.of(server.get("/v1/whoami", caller))
                                .path("rateLimit")
                                .path("burst")
                                .asInt())
                        .isEqualTo(2);
            }
            for (String by : new String[] {"address", "token"}) {
                assertThat(server.bean(MeterRegistry.class)
                                .get("offsetd.rate.limited")
                                .tag("by", by)
                                .counter()
                                .count())
                        .as(by)
                        .isPositive();
            }
        }
    }
}
