package dev.offsetd.server.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256 of a token: all that is kept of it. A slow hash would protect secrets that can be guessed; 256 random bits
 * cannot.
 */
public record TokenHash(long first, long second, long third, long fourth) {

    /** Length of the hash in bytes. */
    public static final int BYTES = 32;

    /** The hash of this token. */
    public static TokenHash of(String token) {
        try {
            return ofBytes(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The hash that these bytes are. */
    public static TokenHash ofBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a hash of " + bytes.length + " bytes; expected " + BYTES);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new TokenHash(buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getLong());
    }

    /** The hash as bytes. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(first)
                .putLong(second)
                .putLong(third)
                .putLong(fourth)
                .array();
    }
}
