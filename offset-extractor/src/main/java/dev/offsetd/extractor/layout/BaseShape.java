package dev.offsetd.extractor.layout;

import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A base type (DWARF 5 §5.1), or {@code void} and its like (§5.2) with {@link TypeShape#UNKNOWN_SIZE}.
 *
 * @param encoding how its bits are read ({@code DW_AT_encoding})
 * @param byteOrder the order of its bytes where it is not that of the file ({@code DW_AT_endianity}), else null
 */
public record BaseShape(
        String spelling,
        long byteSize,
        Encoding encoding,
        @Nullable ByteOrder byteOrder) implements TypeShape {

    /** A base type in the byte order of the file. */
    public BaseShape(String spelling, long byteSize, Encoding encoding) {
        this(spelling, byteSize, encoding, null);
    }

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
