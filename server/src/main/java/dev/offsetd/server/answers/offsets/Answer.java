package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Representation;
import java.io.OutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

    /**
     * Renders an answer.
     *
     * @param file stored file of the build; null if only pins answer
     */
    static Answer of(BuildId id, @Nullable StoredFile file, OffsetsQuery query, StoredItems.ResolvedItems found) {
        return of(
                AnswerBody.of(id, Optional.ofNullable(file), query, found),
                query,
                found.answers().complete(),
                !found.marks().isEmpty());
    }

    /** Renders an answer that rests on other builds. */
    static Answer of(BuildId id, OffsetsQuery query, ConsensusItems found) {
        return of(
                AnswerBody.of(id, query, found), query, found.items().answers().complete(), true);
    }

    private static Answer of(SpooledBody body, OffsetsQuery query, boolean complete, boolean provisional) {
        return new Answer(body, query.representation(), ContentCoding.IDENTITY, complete, provisional, false);
    }

    /** Returns this answer as one that may change although the build does not. */
    Answer asProvisional() {
        return new Answer(body, representation, coding, complete, true, stale);
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
