package dev.offsetd.extractor;

/**
 * A range of a file.
 *
 * @param offset bytes from the start of the file
 * @param bytes length of the range
 */
public record FileRange(long offset, long bytes) {

    /** Returns the offset of the first byte after the range. */
    public long end() {
        return offset + bytes;
    }
}
