package dev.offsetd.server.offsets;

import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.Form;

/**
 * One representation of an answer, ready to be sent.
 *
 * @param complete whether every item was found
 * @param stale whether it says that it may be out of date
 * @param etag a strong validator of exactly these bytes, in quotes
 */
// The bytes are never changed and two answers never compared; copying them would be half the work of a cached answer.
@SuppressWarnings("ArrayRecordComponent")
record Answer(byte[] body, Form form, boolean complete, boolean stale, String etag) {

    /** @param body as {@link AnswerBody} writes it in this form */
    static Answer of(byte[] body, Form form, boolean complete) {
        return of(body, form, complete, false);
    }

    /** This answer, with a member or a comment that says that it may be out of date. */
    Answer markedStale() {
        return stale ? this : of(AnswerBody.markedStale(body, form), form, complete, true);
    }

    private static Answer of(byte[] body, Form form, boolean complete, boolean stale) {
        return new Answer(body, form, complete, stale, ETag.of(body));
    }
}
