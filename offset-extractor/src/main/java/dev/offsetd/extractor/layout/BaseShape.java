package dev.offsetd.extractor.layout;

/**
 * A base type (DWARF 5 §5.1), or {@code void} and its like (§5.2) with {@link TypeShape#UNKNOWN_SIZE}.
 *
 * @param encoding how its bits are read ({@code DW_AT_encoding})
 */
public record BaseShape(String spelling, long byteSize, Encoding encoding) implements TypeShape {

    /** The encodings that matter to a reader of memory. */
    public enum Encoding {
        SIGNED,
        UNSIGNED,
        BOOLEAN,
        FLOATING,
        OTHER;

        /** Returns whether types of this encoding and of one size are told apart by their names. */
        public boolean isToldByName() {
            return this == FLOATING || this == OTHER;
        }
    }
}
