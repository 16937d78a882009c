package dev.offsetd.server.offsets;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * One representation of an answer, ready to be sent.
 *
 * @param complete whether every item was found
 * @param etag a strong validator of exactly these bytes, in quotes
 */
// The bytes are never changed and two answers never compared; copying them would be half the work of a cached answer.
@SuppressWarnings("ArrayRecordComponent")
record Answer(byte[] json, boolean complete, String etag) {

    static Answer of(byte[] json, boolean complete) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(json);
            return new Answer(json, complete, '"' + HexFormat.of().formatHex(hash) + '"');
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
