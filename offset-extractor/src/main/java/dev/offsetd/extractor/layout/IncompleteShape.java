package dev.offsetd.extractor.layout;

/**
 * A type that this build declares but does not define, or defines in a file that was not given (DWARF 5 §2.13.1).
 *
 * @param reason why it is incomplete, in a few words
 */
public record IncompleteShape(String spelling, String reason) implements TypeShape {

    /** {@link #reason()} of what a program that describes its types itself leaves out. */
    public static final String NOT_IN_BINARY = "the program does not describe it";

    /** Returns whether the program describes its types itself, and not this one. */
    public boolean isNotInBinary() {
        return reason.equals(NOT_IN_BINARY);
    }

    @Override
    public long byteSize() {
        return UNKNOWN_SIZE;
    }
}
