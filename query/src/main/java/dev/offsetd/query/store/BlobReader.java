package dev.offsetd.query.store;

/** Random access to the bytes of a stored blob. */
@FunctionalInterface
public interface BlobReader {

    /**
     * Reads {@code length} bytes from {@code offset}.
     *
     * @throws RuntimeException if they cannot be read
     */
    byte[] read(long offset, int length);
}
