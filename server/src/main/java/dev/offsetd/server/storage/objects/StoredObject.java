package dev.offsetd.server.storage.objects;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * Description of an object, sufficient to verify its bytes as a whole or in parts.
 *
 * @param sha256 of all bytes, in hex; the name of the object
 * @param bytes size of the object
 * @param parts SHA-256 of each part, one after the other
 */
// Never compared, and built from rows of a database.
@SuppressWarnings("ArrayRecordComponent")
public record StoredObject(String sha256, long bytes, byte[] parts) {

    /** Size of every part but the last. A part is read and verified at once. */
    static final int PART_BYTES = 1 << 18;

    private static final int HASH_BYTES = 32;

    /** Describes the object with these bytes. */
    public static StoredObject of(byte[] bytes) {
        MessageDigest whole = DigestUtils.getSha256Digest();
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        for (int from = 0; from < bytes.length; from += PART_BYTES) {
            int count = Math.min(PART_BYTES, bytes.length - from);
            whole.update(bytes, from, count);
            MessageDigest part = DigestUtils.getSha256Digest();
            part.update(bytes, from, count);
            parts.writeBytes(part.digest());
        }
        return new StoredObject(HexFormat.of().formatHex(whole.digest()), bytes.length, parts.toByteArray());
    }

    int partCount() {
        return (int) ((bytes + PART_BYTES - 1) / PART_BYTES);
    }

    /** Returns the size of a part. */
    int partBytes(int part) {
        return (int) Math.min(PART_BYTES, bytes - (long) part * PART_BYTES);
    }

    /** Returns whether these bytes are a part of the object. */
    boolean isPart(int part, byte[] content) {
        return content.length == partBytes(part)
                && parts.length >= (part + 1) * HASH_BYTES
                && Arrays.equals(
                        DigestUtils.sha256(content), 0, HASH_BYTES, parts, part * HASH_BYTES, (part + 1) * HASH_BYTES);
    }

    /** Returns whether these bytes are the object. */
    boolean isWhole(byte[] content) {
        return content.length == bytes && DigestUtils.sha256Hex(content).equals(sha256);
    }
}
