package dev.offsetd.extractor.catalogue;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;

/**
 * The layout of a stored catalogue, in words and constants.
 *
 * <p>A header of {@link #HEADER_BYTES} bytes (big-endian: magic, format, offset and compressed and raw length of the
 * directory), then blocks, then the directory, each a zstd frame with a checksum. There are six tables of blocks:
 * shapes, definitions, names, enumerator names, variables and their names. Shapes, definitions and variables are found by
 * their number, names by binary search for the block whose first name is not behind the one sought. A name's entry lists
 * the numbers of its definitions or variables, each of these the number of its shape, a shape the numbers of the shapes
 * that it holds by value. So one name costs a handful of blocks of some 32 KiB, however large the build.
 */
final class CatalogueFormat {

    static final int MAGIC = 0x4f464354;

    /** Rises when old readers cannot read new blobs. */
    static final int FORMAT = 2;

    static final int HEADER_BYTES = 24;

    /** Raw bytes after which a block is closed. Larger ones compress better, smaller ones are read sooner. */
    static final int BLOCK_BYTES = 32 << 10;

    /** No block is larger: the longest entry is one type with a million members. */
    static final int MAX_BLOCK_BYTES = 1 << 28;

    /** No shape is inside more others: what is stored was read with a limit on the depth of types. */
    static final int MAX_SHAPE_DEPTH = 600;

    static final TypeKind[] KINDS = TypeKind.values();
    static final Language.Family[] FAMILIES = Language.Family.values();

    /** Flags of a variable. */
    static final int DECLARATION = 1;

    static final int HAS_ADDRESS = 2;

    private static final int LEVEL = 9;

    private CatalogueFormat() {}

    static byte[] compress(byte[] raw) {
        try (ZstdCompressCtx context = new ZstdCompressCtx()) {
            return context.setLevel(LEVEL).setChecksum(true).compress(raw);
        }
    }

    static byte[] decompress(byte[] frame, int rawLength) {
        if (rawLength < 0 || rawLength > MAX_BLOCK_BYTES) {
            throw new CorruptCatalogueException("block of " + rawLength + " bytes");
        }
        try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
            byte[] raw = context.decompress(frame, rawLength);
            if (raw.length != rawLength) {
                throw new CorruptCatalogueException("block of " + raw.length + " bytes; expected " + rawLength);
            }
            return raw;
        } catch (ZstdException e) {
            throw new CorruptCatalogueException("block does not decompress", e);
        }
    }
}
