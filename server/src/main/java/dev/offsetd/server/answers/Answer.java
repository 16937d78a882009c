package dev.offsetd.server.answers;

import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.io.OutputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

/**
 * Rendered answer to a query, with the headers of its response (RFC 9111).
 *
 * @param coding of the body; small bodies have none
 * @param lasting whether caches may keep it for longer: it is complete, current, and of the build alone. A pin exists because
 *     something is wrong, so pinned answers change sooner; so do those that rest on other builds
 */
public record Answer(Representation representation, SpooledBody body, ContentCoding coding, boolean lasting) {

    /** {@code Vary}: the request headers that answers depend on. */
    public static final String VARY = "Accept, Accept-Encoding";

    /** {@code Cache-Control} of a complete answer. */
    public static final String LASTING = "public, max-age=60, stale-while-revalidate=300";

    /** {@code Cache-Control} of an answer that is incomplete or may be out of date. */
    public static final String SHORT_LIVED = "public, max-age=10";

    /** Bodies below this size, in bytes, fit into one packet with their headers and stay uncompressed. */
    public static final int LEAST_ENCODED = 1024;

    /** Answer without a content coding. */
    public Answer(Representation representation, SpooledBody body, boolean lasting) {
        this(representation, body, ContentCoding.IDENTITY, lasting);
    }

    /** Returns the response to a request: 304 to a GET if the client has the answer. Caches must not store the response to a POST. */
    public ResponseEntity<SpooledBody> response(HttpServletRequest request) {
        HttpHeaders headers = new HttpHeaders();
        Wait.of(request).applied().ifPresent(value -> headers.set(Wait.APPLIED, value));
        if (HttpMethod.POST.matches(request.getMethod())) {
            headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
        } else {
            headers.set(HttpHeaders.ETAG, body.etag());
            headers.set(HttpHeaders.CACHE_CONTROL, lasting ? LASTING : SHORT_LIVED);
            headers.set(HttpHeaders.VARY, VARY);
            if (ETag.isKnown(request, body.etag())) {
                return new ResponseEntity<>(headers, HttpStatus.NOT_MODIFIED);
            }
        }
        headers.set(HttpHeaders.CONTENT_TYPE, representation.contentType());
        if (coding != ContentCoding.IDENTITY) {
            headers.set(HttpHeaders.CONTENT_ENCODING, coding.token());
        }
        return new ResponseEntity<>(body, headers, HttpStatus.OK);
    }

    /** Returns this answer as one that may change soon. */
    public Answer shortLived() {
        return new Answer(representation, body, coding, false);
    }

    /** Returns this answer, which must be uncompressed, in a content coding. */
    public Answer encoded(ContentCoding wanted) {
        if (wanted == coding || body.length() < LEAST_ENCODED) {
            return this;
        }
        SpooledBody encoded = SpooledBody.of(out -> {
            try (OutputStream stream = wanted.encoder(out)) {
                body.writeTo(stream);
            }
        });
        return new Answer(representation, encoded, wanted, lasting);
    }
}
