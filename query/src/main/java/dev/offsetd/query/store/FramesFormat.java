package dev.offsetd.query.store;

import java.util.HexFormat;

/**
 * Format of stored functions and lines.
 *
 * <p>A {@link StoredBlob} with three tables of blocks: names of functions and paths, by number, and ranges of code, by address. The
 * entry of a range has its place, the function with the calls that are inlined into it, and the rows of lines. The numbers of
 * calls and rows stand field by field, most as differences: that compresses to two thirds of what row by row does. The
 * directory has the address that those of ranges count from.
 */
final class FramesFormat {

    static final int MAGIC = 0x4f46464c;

    /**
     * Incremented when old readers cannot read new blobs, together with {@link dev.offsetd.extractor.builds.PartVersions#FRAMES}: by
     * that, an older server tells a later blob from a damaged one.
     */
    static final int FORMAT = 1;

    private FramesFormat() {}

    /** Returns an address as a key that sorts like it. */
    static String key(long address) {
        return HexFormat.of().toHexDigits(address);
    }
}
