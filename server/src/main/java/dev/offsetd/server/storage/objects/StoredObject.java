package dev.offsetd.server.storage.objects;

import org.apache.commons.codec.digest.DigestUtils;

/**
 * Name and size of an object.
 *
 * @param sha256 of its bytes, in hex
 */
public record StoredObject(String sha256, long bytes) {

    public static StoredObject of(byte[] bytes) {
        return new StoredObject(DigestUtils.sha256Hex(bytes), bytes.length);
    }
}
