package dev.offsetd.extractor.layout;

/**
 * A type that this build declares but does not define, or defines in a file that was not given (DWARF 5 §2.13.1).
 *
 * @param reason why it is incomplete, in a few words
 */
public record IncompleteShape(String spelling, String reason) implements TypeShape {

    @Override
    public long byteSize() {
        return UNKNOWN_SIZE;
    }
}
