package dev.offsetd.extractor.input;

/** Thrown when a file exceeds one of its {@link Limits}. */
public final class LimitExceededException extends ExtractionException {

    private final String limit;
    private final long allowed;

    /**
     * @param limit name of the component of {@link Limits}
     * @param allowed its value; of a duration the milliseconds
     * @param observed what was found instead, with its value, in words that fit in brackets
     */
    public LimitExceededException(String section, long offset, String limit, long allowed, String observed) {
        super(section, offset, "limit " + limit + " of " + allowed + " exceeded (" + observed + ")");
        this.limit = limit;
        this.allowed = allowed;
    }

    /** Returns the name of the component of {@link Limits}. */
    public String limit() {
        return limit;
    }

    /** Its value; of a duration the milliseconds. */
    public long allowed() {
        return allowed;
    }
}
