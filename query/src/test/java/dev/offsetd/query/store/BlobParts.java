package dev.offsetd.query.store;

/** The parts of blobs, for tests that put them together in ways that no writer would. */
public final class BlobParts {

    /** Bytes before the first block. */
    public static final int HEADER_BYTES = StoredBlob.begin().size();

    /** Raw bytes that a block has at most. */
    public static final int MAX_BLOCK_BYTES = Zstd.MAX_BLOCK_BYTES;

    private BlobParts() {}

    /** A block as it lies in a blob. */
    public static byte[] frame(byte[] raw) {
        return Zstd.compress(raw);
    }

    /** The contents of a block. */
    public static byte[] raw(byte[] frame, int rawLength) {
        return Zstd.decompress(frame, rawLength);
    }
}
