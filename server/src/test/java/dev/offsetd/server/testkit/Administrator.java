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
import tools.jackson.databind.JsonNode;

/**
 * A client with a token of scope {@code admin}, which manages pins. The token is valid on every server that shares the
 * database.
 */
public final class Administrator {

    private final String authorization;

    private Administrator(String authorization) {
        this.authorization = authorization;
    }

    /** Returns a client with a new token of this label. */
    public static Administrator of(TestServer server, String label) {
        return new Administrator("Bearer "
                + server.bean(Tokens.class)
                        .create(label, Set.of(Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                        .text());
    }

    /** POSTs JSON to a path below {@code /v1/pins}. */
    public HttpResponse<String> post(TestServer server, String path, String body, String... headers) {
        return server.post("/v1/pins" + path, body, authorized(headers));
    }

    /** PUTs JSON as the new draft of a pin. */
    public HttpResponse<String> put(TestServer server, String id, String body, String... headers) {
        return server.send("PUT", "/v1/pins/" + id, BodyPublishers.ofString(body), authorized(headers));
    }

    public HttpResponse<String> delete(TestServer server, String id, String... headers) {
        return server.send("DELETE", "/v1/pins/" + id, BodyPublishers.noBody(), authorized(headers));
    }

    /**
     * Pins an item.
     *
     * @param value as JSON
     * @return the pin
     */
    public JsonNode pin(TestServer server, Object buildId, String item, String value) {
        HttpResponse<String> made = post(server, "", draft(buildId, item, value, ""));
        if (made.statusCode() != 201) {
            throw new AssertionError(made.body());
        }
        return Json.of(made);
    }

    /**
     * Returns a draft as JSON.
     *
     * @param more further members, each preceded by a comma
     */
    public static String draft(Object buildId, String item, String value, String more) {
        return "{\"buildId\": \"" + buildId + "\", \"item\": \"" + item.replace("\"", "\\\"") + "\", \"value\": "
                + value + ", \"reason\": \"seen in gdb\"" + more + "}";
    }

    /** Returns the headers with the token added. */
    public String[] authorized(String... headers) {
        List<String> all = new ArrayList<>(List.of("Authorization", authorization, "Content-Type", "application/json"));
        all.addAll(List.of(headers));
        return all.toArray(String[]::new);
    }
}
