package dev.offsetd.server.asking;

import dev.offsetd.server.web.Form;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/**
 * An answer about a stored build, as it goes out.
 *
 * @param lasting whether everything was found and nothing is out of date, so that caches may keep it longer
 */
public record WrittenAnswer(Form form, Body body, boolean lasting) {

    /** The response to a GET: with a strong validator of exactly these bytes, and for caches. */
    public ResponseEntity<Body> forCaches(Wait wait) {
        return begin(wait)
                .eTag(body.etag())
                .header(HttpHeaders.CACHE_CONTROL, lasting ? CacheHeaders.LASTING : CacheHeaders.SHORT_LIVED)
                .header(HttpHeaders.VARY, CacheHeaders.VARY)
                .body(body);
    }

    /** The response to a POST. */
    public ResponseEntity<Body> forItsCaller(Wait wait) {
        return begin(wait).header(HttpHeaders.CACHE_CONTROL, "no-store").body(body);
    }

    private ResponseEntity.BodyBuilder begin(Wait wait) {
        ResponseEntity.BodyBuilder response = ResponseEntity.ok().header(HttpHeaders.CONTENT_TYPE, form.contentType());
        wait.applyTo(response);
        return response;
    }
}
