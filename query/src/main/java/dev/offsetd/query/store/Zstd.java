package dev.offsetd.query.store;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;

/** Compression of blocks as zstd frames with a checksum. */
final class Zstd {

    /** Largest block: the longest entry is a type with a million members. */
    static final int MAX_BLOCK_BYTES = 1 << 28;

    private static final int LEVEL = 6;

    private Zstd() {}

    static byte[] compress(byte[] raw) {
        try (ZstdCompressCtx context = new ZstdCompressCtx()) {
            return context.setLevel(LEVEL).setChecksum(true).compress(raw);
        }
    }

    static byte[] decompress(byte[] frame, int rawLength) {
        if (rawLength < 0 || rawLength > MAX_BLOCK_BYTES) {
            throw new CorruptBlobException("block of " + rawLength + " bytes");
        }
        try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
            byte[] raw = context.decompress(frame, rawLength);
            if (raw.length != rawLength) {
                throw new CorruptBlobException("block of " + raw.length + " bytes; expected " + rawLength);
            }
            return raw;
        } catch (ZstdException e) {
            throw new CorruptBlobException("block does not decompress", e);
        }
    }
}
