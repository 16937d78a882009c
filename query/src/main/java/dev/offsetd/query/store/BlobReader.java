package dev.offsetd.query.store;

/** Random access to the bytes of a stored blob, wherever they are kept. */
@FunctionalInterface
public interface BlobReader {

    /**
     * The {@code length} bytes from {@code offset}.
     *
     * @throws RuntimeException if they cannot be had
     */
    byte[] read(long offset, int length);
}
