package dev.offsetd.server.offsets;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * One representation of an answer, ready to be sent.
 *
 * @param complete whether every item was found
 * @param stale whether it says that it may be out of date
 * @param etag a strong validator of exactly these bytes, in quotes
 */
// The bytes are never changed and two answers never compared; copying them would be half the work of a cached answer.
@SuppressWarnings("ArrayRecordComponent")
record Answer(byte[] json, boolean complete, boolean stale, String etag) {

    private static final byte[] STALE = "{\"stale\":true,".getBytes(StandardCharsets.US_ASCII);

    /** @param json a JSON object with a member at least */
    static Answer of(byte[] json, boolean complete) {
        return of(json, complete, false);
    }

    /** This answer, with a member that says that it may be out of date. */
    Answer markedStale() {
        if (stale) {
            return this;
        }
        byte[] marked = Arrays.copyOf(STALE, STALE.length + json.length - 1);
        System.arraycopy(json, 1, marked, STALE.length, json.length - 1);
        return of(marked, complete, true);
    }

    private static Answer of(byte[] json, boolean complete, boolean stale) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(json);
            return new Answer(json, complete, stale, '"' + HexFormat.of().formatHex(hash) + '"');
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
