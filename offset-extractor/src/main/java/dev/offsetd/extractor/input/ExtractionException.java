package dev.offsetd.extractor.input;

/**
 * A file that cannot be read to its end. The three kinds are all there are, for any input; what the file says goes into
 * the message escaped and cut.
 */
public abstract sealed class ExtractionException extends Exception
        permits MalformedInputException, UnsupportedInputException, LimitExceededException {

    /** {@link #offset()} of an error without a single position. */
    public static final long NO_OFFSET = -1;

    private static final int MAX_PLAIN_CHARS = 64;

    private final String section;
    private final long offset;

    ExtractionException(String section, long offset, String problem) {
        super(
                offset == NO_OFFSET
                        ? shown(section) + ": " + problem
                        : shown(section) + "+0x" + Long.toHexString(offset) + ": " + problem);
        this.section = shown(section);
        this.offset = offset;
    }

    /** Returns a name that is safe to print: the file chooses the names of sections. */
    private static String shown(String section) {
        boolean plain = section.length() <= MAX_PLAIN_CHARS && section.chars().allMatch(c -> c >= ' ' && c <= '~');
        return plain ? section : HostileText.quote(section);
    }

    /**
     * Returns the section ({@code .debug_info}), or the part of the file outside sections ({@code elf header}); quoted and
     * cut if it is not plain.
     */
    public String section() {
        return section;
    }

    /** Bytes from the start of {@link #section()}, or {@link #NO_OFFSET}. */
    public long offset() {
        return offset;
    }
}
