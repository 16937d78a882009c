package dev.offsetd.server.offsets;

import dev.offsetd.server.query.SpooledBody;
import dev.offsetd.server.web.Representation;

/**
 * One representation of an answer, ready to be sent.
 *
 * @param body as it is sent
 * @param coding of the body; a small body has none, whoever asks
 * @param complete whether every item was found
 * @param pinned whether a pin had a say in it
 * @param stale whether it says that it may be out of date
 */
record Answer(
        SpooledBody body,
        Representation representation,
        ContentCoding coding,
        boolean complete,
        boolean pinned,
        boolean stale) {

    /** Below this, in bytes, a body and its headers fit into one packet as they are. */
    static final int LEAST_ENCODED = 1024;

    /** @param body as {@link AnswerBody} writes it in this form */
    static Answer of(SpooledBody body, Representation representation, boolean complete, boolean pinned) {
        return new Answer(body, representation, ContentCoding.IDENTITY, complete, pinned, false);
    }

    /** A strong validator of exactly these bytes, in quotes. */
    String etag() {
        return body.etag();
    }

    /** Whether it will most likely stay what it is: pins are there because something is wrong. */
    boolean lasting() {
        return complete && !pinned && !stale;
    }

    /** This answer, which has no coding yet, with a member or a comment that says that it may be out of date. */
    Answer markedStale() {
        return stale
                ? this
                : new Answer(
                        SpooledBody.of(out -> AnswerBody.writeStale(body, representation, out)),
                        representation,
                        coding,
                        complete,
                        pinned,
                        true);
    }

    /** This answer, which has no coding yet, in another one. */
    Answer encoded(ContentCoding wanted) {
        return wanted == coding || body.length() < LEAST_ENCODED
                ? this
                : new Answer(
                        SpooledBody.of(out -> wanted.encode(body, out)),
                        representation,
                        wanted,
                        complete,
                        pinned,
                        stale);
    }
}
