package dev.offsetd.extractor.input;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes from a file as the key of a map. A file can be made of bytes that all have one hash; because keys can be
 * compared, a map finds one among them in logarithmic time. {@link ByteBuffer} cannot, as its classes are not comparable to
 * themselves.
 */
public final class BytesKey implements Comparable<BytesKey> {

    private final ByteBuffer bytes;
    private final int hash;

    /** @param bytes not to be changed any more */
    public BytesKey(ByteBuffer bytes) {
        this.bytes = bytes;
        this.hash = bytes.hashCode();
    }

    @Override
    public int compareTo(BytesKey other) {
        return bytes.compareTo(other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BytesKey key && key.hash == hash && key.bytes.equals(bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
