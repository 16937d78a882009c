package dev.offsetd.server.query;

import dev.offsetd.server.web.Representation;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/**
 * An answer about a stored build, as it goes out.
 *
 * @param lasting whether everything was found and nothing is out of date, so that caches may keep it longer
 */
public record RenderedAnswer(Representation representation, SpooledBody body, boolean lasting) {

    /** The response to a GET: with a strong validator of exactly these bytes, and for caches. */
    public ResponseEntity<SpooledBody> forCaches(Wait wait) {
        return begin(wait)
                .eTag(body.etag())
                .header(HttpHeaders.CACHE_CONTROL, lasting ? CacheHeaders.LASTING : CacheHeaders.SHORT_LIVED)
                .header(HttpHeaders.VARY, CacheHeaders.VARY)
                .body(body);
    }

    /** The response to a POST. */
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
