package dev.offsetd.server.access;

import java.nio.ByteBuffer;
import org.apache.commons.codec.digest.DigestUtils;

/** SHA-256 of a token, which is all that is stored of it. A slow hash is not needed for 256 random bits. */
public record TokenHash(long first, long second, long third, long fourth) {

    public static final int BYTES = 32;

    public static TokenHash of(String token) {
        return ofBytes(DigestUtils.sha256(token));
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
