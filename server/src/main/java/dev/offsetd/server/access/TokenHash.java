package dev.offsetd.server.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 of a token, which is all that is stored of it. A slow hash is not needed for 256 random bits. */
public record TokenHash(long first, long second, long third, long fourth) {

    public static final int BYTES = 32;

    public static TokenHash of(String token) {
        try {
            return ofBytes(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    public static TokenHash ofBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("hash of " + bytes.length + " bytes; expected " + BYTES);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new TokenHash(buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getLong());
    }

    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(first)
                .putLong(second)
                .putLong(third)
                .putLong(fourth)
                .array();
    }
}
