package dev.offsetd.server.offsets;

import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.Form;

/**
 * One representation of an answer, ready to be sent.
 *
 * @param body as it is sent
 * @param coding of the body; a small body has none, whoever asks
 * @param complete whether every item was found
 * @param pinned whether a pin had a say in it
 * @param stale whether it says that it may be out of date
 * @param etag a strong validator of exactly these bytes, in quotes
 */
// The bytes are never changed and two answers never compared; copying them would be half the work of a cached answer.
@SuppressWarnings("ArrayRecordComponent")
record Answer(
        byte[] body, Form form, ContentCoding coding, boolean complete, boolean pinned, boolean stale, String etag) {

    /** Below this, in bytes, a body and its headers fit into one packet as they are. */
    static final int LEAST_ENCODED = 1024;

    /** @param body as {@link AnswerBody} writes it in this form */
    static Answer of(byte[] body, Form form, boolean complete, boolean pinned) {
        return of(body, form, ContentCoding.IDENTITY, complete, pinned, false);
    }

    /** Whether it will most likely stay what it is: pins are there because something is wrong. */
    boolean lasting() {
        return complete && !pinned && !stale;
    }

    /** This answer, which has no coding yet, with a member or a comment that says that it may be out of date. */
    Answer markedStale() {
        return stale ? this : of(AnswerBody.markedStale(body, form), form, coding, complete, pinned, true);
    }

    /** This answer, which has no coding yet, in another one. */
    Answer encoded(ContentCoding wanted) {
        return wanted == coding || body.length < LEAST_ENCODED
                ? this
                : of(wanted.encode(body), form, wanted, complete, pinned, stale);
    }

    private static Answer of(
            byte[] body, Form form, ContentCoding coding, boolean complete, boolean pinned, boolean stale) {
        return new Answer(body, form, coding, complete, pinned, stale, ETag.of(body));
    }
}
