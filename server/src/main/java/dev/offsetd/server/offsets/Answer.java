package dev.offsetd.server.offsets;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * One representation of an answer, ready to be sent.
 *
 * @param body as it is sent
 * @param coding of the body; a small body has none, whoever asks
 * @param complete whether every item was found
 * @param stale whether it says that it may be out of date
 * @param etag a strong validator of exactly these bytes, in quotes
 */
// The bytes are never changed and two answers never compared; copying them would be half the work of a cached answer.
@SuppressWarnings("ArrayRecordComponent")
record Answer(byte[] body, ContentCoding coding, boolean complete, boolean stale, String etag) {

    /** Below this, in bytes, a body and its headers fit into one packet as they are. */
    static final int LEAST_ENCODED = 1024;

    private static final byte[] STALE = "{\"stale\":true,".getBytes(StandardCharsets.US_ASCII);

    /** Whether it will most likely stay what it is. */
    boolean lasting() {
        return complete && !stale;
    }

    /** @param json a JSON object with a member at least */
    static Answer of(byte[] json, boolean complete) {
        return of(json, ContentCoding.IDENTITY, complete, false);
    }

    /** This answer, which has no coding yet, with a member that says that it may be out of date. */
    Answer markedStale() {
        if (stale) {
            return this;
        }
        byte[] marked = Arrays.copyOf(STALE, STALE.length + body.length - 1);
        System.arraycopy(body, 1, marked, STALE.length, body.length - 1);
        return of(marked, coding, complete, true);
    }

    /** This answer, which has no coding yet, in another one. */
    Answer encoded(ContentCoding wanted) {
        return wanted == coding || body.length < LEAST_ENCODED
                ? this
                : of(wanted.encode(body), wanted, complete, stale);
    }

    private static Answer of(byte[] body, ContentCoding coding, boolean complete, boolean stale) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
            return new Answer(
                    body, coding, complete, stale, '"' + HexFormat.of().formatHex(hash) + '"');
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
