package dev.offsetd.server.testkit;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A client with a token of scope {@code publish}. The token is valid on every server that shares the database. */
public final class Publisher {

    private final String authorization;

    private Publisher(String authorization) {
        this.authorization = authorization;
    }

    /** Returns a client with a new token of this label. */
    public static Publisher of(TestServer server, String label) {
        return new Publisher("Bearer "
                + server.bean(Tokens.class)
                        .create(label, Set.of(Scope.PUBLISH), Duration.ofHours(1), Actor.operator("test"))
                        .text());
    }

    /** Uploads a file for {@link SmallBuild#ID}. */
    public HttpResponse<String> put(TestServer server, byte[] file, String... headers) {
        return put(server, SmallBuild.ID, file, headers);
    }

    public HttpResponse<String> put(TestServer server, Object buildId, byte[] file, String... headers) {
        return server.send(
                "PUT", "/v1/builds/" + buildId + "/debuginfo", BodyPublishers.ofByteArray(file), authorized(headers));
    }

    /** Uploads the executable of a build. */
    public HttpResponse<String> putExecutable(TestServer server, Object key, byte[] file) {
        return server.send("PUT", "/v1/builds/" + key + "/executable", BodyPublishers.ofByteArray(file), authorized());
    }

    /** Asks whether the server would accept a file. */
    public HttpResponse<String> precheck(TestServer server, Object buildId, String query) {
        return server.get("/v1/builds/" + buildId + "/debuginfo/precheck" + query, authorized());
    }

    /** Requests a retry of a build. */
    public HttpResponse<String> retry(TestServer server, Object buildId) {
        return server.post("/v1/builds/" + buildId + "/retry", "", authorized());
    }

    public String token() {
        return authorization.substring("Bearer ".length());
    }

    /** Returns the headers with the token added. */
    public String[] authorized(String... headers) {
        List<String> all = new ArrayList<>(List.of("Authorization", authorization));
        all.addAll(List.of(headers));
        return all.toArray(String[]::new);
    }
}
