package dev.offsetd.server.answers;

import dev.offsetd.server.web.Representation;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/**
 * Rendered answer about a stored build.
 *
 * @param lasting whether it is complete and current, so that caches may keep it longer
 */
public record RenderedAnswer(Representation representation, SpooledBody body, boolean lasting) {

    /** Returns the response to a GET, with a strong validator and {@code Cache-Control}. */
    public ResponseEntity<SpooledBody> forCaches(Wait wait) {
        return begin(wait)
                .eTag(body.etag())
                .header(HttpHeaders.CACHE_CONTROL, lasting ? CacheHeaders.LASTING : CacheHeaders.SHORT_LIVED)
                .header(HttpHeaders.VARY, CacheHeaders.VARY)
                .body(body);
    }

    /** Returns the response to a POST, which caches must not store. */
    public ResponseEntity<SpooledBody> forItsCaller(Wait wait) {
        return begin(wait).header(HttpHeaders.CACHE_CONTROL, "no-store").body(body);
    }

    private ResponseEntity.BodyBuilder begin(Wait wait) {
        ResponseEntity.BodyBuilder response =
                ResponseEntity.ok().header(HttpHeaders.CONTENT_TYPE, representation.contentType());
        wait.applyTo(response);
        return response;
    }
}
