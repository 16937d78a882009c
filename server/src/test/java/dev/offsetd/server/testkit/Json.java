package dev.offsetd.server.testkit;

import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads answers. */
public final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    /** The body of a response. */
    public static JsonNode of(HttpResponse<String> response) {
        return MAPPER.readTree(response.body());
    }

    /** The answer to one item. */
    public static JsonNode item(HttpResponse<String> response, String item) {
        return of(response).path("offsets").path(item);
    }
}
