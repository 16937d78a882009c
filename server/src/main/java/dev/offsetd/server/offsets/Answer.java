package dev.offsetd.server.offsets;

import dev.offsetd.server.query.SpooledBody;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Representation;
import java.io.OutputStream;

/**
 * Rendered answer to a query.
 *
 * @param coding of the body; small bodies have none
 * @param complete whether every item was found
 * @param provisional whether it may change although the build does not: a pin affects it, or other builds give it
 * @param stale whether the body says that it may be out of date
 */
record Answer(
        SpooledBody body,
        Representation representation,
        ContentCoding coding,
        boolean complete,
        boolean provisional,
        boolean stale) {

    /** Bodies below this size, in bytes, fit into one packet with their headers and stay uncompressed. */
    static final int LEAST_ENCODED = 1024;

    static Answer of(SpooledBody body, Representation representation, boolean complete, boolean provisional) {
        return new Answer(body, representation, ContentCoding.IDENTITY, complete, provisional, false);
    }

    String etag() {
        return body.etag();
    }

    /**
     * Returns whether caches may keep it for longer. A pin exists because something is wrong, so pinned answers change
     * sooner; so do those that rest on other builds.
     */
    boolean lasting() {
        return complete && !provisional && !stale;
    }

    /** Returns this answer, which must be uncompressed, marked as possibly out of date. */
    Answer markedStale() {
        return stale
                ? this
                : new Answer(
                        SpooledBody.of(out -> AnswerBody.writeStale(body, representation, out)),
                        representation,
                        coding,
                        complete,
                        provisional,
                        true);
    }

    /** Returns this answer, which must be uncompressed, in a content coding. */
    Answer encoded(ContentCoding wanted) {
        return wanted == coding || body.length() < LEAST_ENCODED
                ? this
                : new Answer(
                        SpooledBody.of(out -> {
                            try (OutputStream encoded = wanted.encoder(out)) {
                                body.writeTo(encoded);
                            }
                        }),
                        representation,
                        wanted,
                        complete,
                        provisional,
                        stale);
    }
}
