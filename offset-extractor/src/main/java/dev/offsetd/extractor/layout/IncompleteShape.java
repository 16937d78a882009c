package dev.offsetd.extractor.layout;

/**
 * A type that this build declares but does not define, or defines in a file that was not given (DWARF 5 §2.13.1).
 *
 * @param reason why it is incomplete, in a few words
 * @param byteSize its size where the declaration states it, as clang 3.9 does, else {@link TypeShape#UNKNOWN_SIZE}
 */
public record IncompleteShape(String spelling, String reason, long byteSize) implements TypeShape {

    /** A type of unknown size. */
    public IncompleteShape(String spelling, String reason) {
        this(spelling, reason, UNKNOWN_SIZE);
    }

    /** {@link #reason()} of what a program that describes its types itself leaves out. */
    public static final String NOT_IN_BINARY = "the program does not describe it";

    private static final String UNSUPPORTED = "unsupported ";

    /** Returns a type that the reader does not know, by the name of its tag or attribute. */
    public static IncompleteShape unsupported(String construct) {
        return new IncompleteShape(construct, UNSUPPORTED + construct);
    }

    /** Returns whether the build defines the type, and the reader does not support what it is made of. */
    public boolean isUnsupported() {
        return reason.startsWith(UNSUPPORTED);
    }

    /** Returns whether the program describes its types itself, and not this one. */
    public boolean isNotInBinary() {
        return reason.equals(NOT_IN_BINARY);
    }
}
