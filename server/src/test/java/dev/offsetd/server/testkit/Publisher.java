package dev.offsetd.server.testkit;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.tokens.Tokens;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Somebody with a token to publish. It is good on every server that shares the database. */
public final class Publisher {

    private final String authorization;

    private Publisher(String authorization) {
        this.authorization = authorization;
    }

    /** A new token with this label. */
    public static Publisher of(TestServer server, String label) {
        return new Publisher("Bearer "
                + server.bean(Tokens.class)
                        .create(label, Set.of(Scope.PUBLISH), Duration.ofHours(1), Caller.operator(), "test")
                        .text());
    }

    /** Uploads a file for {@link SmallBuild#ID}. */
    public HttpResponse<String> put(TestServer server, byte[] file, String... headers) {
        return put(server, SmallBuild.ID, file, headers);
    }

    /** Uploads a file for a build. */
    public HttpResponse<String> put(TestServer server, Object buildId, byte[] file, String... headers) {
        return server.send(
                "PUT", "/v1/builds/" + buildId + "/debuginfo", BodyPublishers.ofByteArray(file), authorized(headers));
    }

    /** Asks whether a file would be taken. */
    public HttpResponse<String> precheck(TestServer server, Object buildId, String query) {
        return server.get("/v1/builds/" + buildId + "/debuginfo/precheck" + query, authorized());
    }

    /** Has a build tried again. */
    public HttpResponse<String> retry(TestServer server, Object buildId) {
        return server.post("/v1/builds/" + buildId + "/retry", "", authorized());
    }

    /** The token itself. */
    public String token() {
        return authorization.substring("Bearer ".length());
    }

    /** Headers with the token. */
    public String[] authorized(String... headers) {
        List<String> all = new ArrayList<>(List.of("Authorization", authorization));
        all.addAll(List.of(headers));
        return all.toArray(String[]::new);
    }
}
