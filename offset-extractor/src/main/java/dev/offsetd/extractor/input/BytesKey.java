package dev.offsetd.extractor.input;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes from a file as the key of a map. A file can be made of bytes that all have one hash; because keys can be
 * compared, a map finds one among them in logarithmic time.
 */
public final class BytesKey implements Comparable<BytesKey> {

    private final byte[] bytes;
    private final int hash;

    /** @param bytes not to be changed any more */
    public BytesKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    @Override
    public int compareTo(BytesKey other) {
        return Arrays.compare(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BytesKey key && key.hash == hash && Arrays.equals(key.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
