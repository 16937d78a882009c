package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpStatus;

class ProblemBodyTests {

    private static String json(Problem problem, String path) {
        return new String(ProblemBody.of(problem, path, "id-1"), StandardCharsets.UTF_8);
    }

    @Test
    void everyMemberOfTheContractIsThereAlsoWithoutABuild() {
        assertThat(json(Problem.of(HttpStatus.BAD_REQUEST, "bad_thing", "A bad thing", "it is bad"), "/a"))
                .isEqualTo("{\"type\":\"urn:offsetd:problem:bad_thing\",\"title\":\"A bad thing\",\"status\":400,"
                        + "\"detail\":\"it is bad\",\"instance\":\"/a\",\"code\":\"bad_thing\","
                        + "\"requestId\":\"id-1\",\"buildId\":null}");
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/offsets/00112233AABBCCDD, 00112233aabbccdd",
        "/v1/builds/00112233aabbccdd/debuginfo, 00112233aabbccdd",
        "/v1/offsets/%30%30112233aabbccdd, 00112233aabbccdd",
        "/v1/offsets/00112233aabbccdd%zz,",
        "/v1/builds/00112233aabbccdd%2f..,",
        "/v1/builds/00112233aabbccd,",
        "/v1/builds/xyz,",
        "/v1/builds,",
        "/00112233aabbccdd,",
        ","
    })
    void problemNamesTheBuildOfThePath(String path, String buildId) {
        Problem problem = Problem.of(HttpStatus.UNAUTHORIZED, "token_required", "A token is required", "none");
        assertThat(json(problem, path)).contains("\"buildId\":" + (buildId == null ? "null" : "\"" + buildId + "\""));
    }

    @Test
    void furtherMembersComeLastInTheirOrder() {
        Problem problem = Problem.of(HttpStatus.NOT_FOUND, "gone", "Gone", "it is gone")
                .with("zeta", 1)
                .with("alpha", "2");
        assertThat(json(problem, "/a")).endsWith("\"buildId\":null,\"zeta\":1,\"alpha\":\"2\"}");
    }

    @Test
    void instanceIsAUriWhateverWasSent() {
        Problem problem = Problem.of(HttpStatus.NOT_FOUND, "gone", "Gone", "it is gone");
        assertThat(json(problem, "/a b/<\u00e4>%zz")).contains("\"instance\":\"/a%20b/%3C%C3%A4%3E%zz\"");
        assertThat(json(problem, "/a%20b")).contains("\"instance\":\"/a%20b\"");
    }

    @Test
    void timeToAskAgainIsRoundedUpAndSaidTwice() {
        Problem problem = Problem.of(HttpStatus.BAD_GATEWAY, "broken", "Broken", "it is broken")
                .retryAfter(Duration.ofMillis(1001));
        assertThat(problem.members()).containsEntry("retryAfter", 2L);
        assertThat(problem.headers()).containsEntry("Retry-After", "2").containsEntry("Cache-Control", "no-store");
    }

    @Test
    void missIsKeptByCachesForAMinuteAtMost() {
        Problem problem = Problem.of(HttpStatus.NOT_FOUND, "gone", "Gone", "it is gone");
        assertThat(problem.cacheable(Duration.ofHours(1)).headers())
                .containsEntry("Cache-Control", "public, max-age=60");
        assertThat(problem.cacheable(Duration.ofSeconds(5)).headers())
                .containsEntry("Cache-Control", "public, max-age=5");
    }
}
