package dev.offsetd.cli.query;

import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Item;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A request to {@code /v1/offsets/{buildId}}.
 *
 * @param server the server's URL; the API is below its path
 * @param view the view of the answer, or null for the default
 * @param map the name map of that view, or null for the only one of the set
 * @param lang the language of definitions, or null for any
 * @param fallback what may answer if the build has no debug information, or null for exact answers only
 * @param accept the media type of the answer
 */
record OffsetsRequest(
        URI server,
        BuildId buildId,
        List<Item> items,
        @Nullable String view,
        @Nullable String map,
        @Nullable String lang,
        @Nullable String fallback,
        String accept) {

    /** Longest URL of a GET; servers and proxies accept at least 8,000 (RFC 9110 §4.1). */
    private static final int MAX_URL_CHARS = 7_000;

    /** Time for the response beyond the requested wait. */
    private static final Duration MARGIN = Duration.ofSeconds(30);

    private static final Duration BUILD_TIMEOUT = Duration.ofSeconds(5);

    OffsetsRequest {
        items = List.copyOf(items);
    }

    /**
     * Returns a GET, which caches can answer, or a POST if the items do not fit into a URL.
     *
     * @param waitSeconds how long the server waits before it answers 202 ({@code wait}, RFC 7240 §4.3)
     */
    HttpRequest toHttp(long waitSeconds) {
        List<String> parameters = new ArrayList<>();
        if (view != null) {
            parameters.add("view=" + ServerCalls.encoded(view));
        }
        if (map != null) {
            parameters.add("map=" + ServerCalls.encoded(map));
        }
        if (lang != null) {
            parameters.add("lang=" + ServerCalls.encoded(lang));
        }
        if (fallback != null) {
            parameters.add("fallback=" + ServerCalls.encoded(fallback));
        }
        String types =
                items.stream().map(item -> ServerCalls.encoded(item.text())).collect(Collectors.joining(","));
        URI get = uri(parameters, "types=" + types);
        HttpRequest.Builder request = HttpRequest.newBuilder()
                .header("Accept", accept)
                .header("Prefer", "wait=" + waitSeconds)
                .timeout(Duration.ofSeconds(waitSeconds).plus(MARGIN));
        if (get.toString().length() <= MAX_URL_CHARS) {
            return request.uri(get).GET().build();
        }
        String body = JsonMapper.shared()
                .writeValueAsString(items.stream().map(Item::text).toList());
        return request.uri(uri(parameters, ""))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body, StandardCharsets.UTF_8))
                .build();
    }

    /** Returns a request for the resource of the build. */
    HttpRequest toBuild() {
        return HttpRequest.newBuilder(URI.create(base() + "v1/builds/" + buildId))
                .header("Accept", "application/json")
                .timeout(BUILD_TIMEOUT)
                .build();
    }

    private URI uri(List<String> parameters, String types) {
        List<String> query = new ArrayList<>(parameters);
        if (!types.isEmpty()) {
            query.addFirst(types);
        }
        return URI.create(base() + "v1/offsets/" + buildId + (query.isEmpty() ? "" : "?" + String.join("&", query)));
    }

    private String base() {
        String base = server.toString();
        return base.endsWith("/") ? base : base + "/";
    }
}
