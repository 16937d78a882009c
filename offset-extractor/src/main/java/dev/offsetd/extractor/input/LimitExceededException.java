package dev.offsetd.extractor.input;

/** The file asks for more than {@link Limits} allow. */
public final class LimitExceededException extends ExtractionException {

    private final String limit;

    /**
     * @param limit name of the component of {@link Limits}
     * @param allowed its value
     * @param observed what the file claims, in words that fit in brackets
     */
    public LimitExceededException(String section, long offset, String limit, long allowed, String observed) {
        super(section, offset, "limit " + limit + " of " + allowed + " exceeded (" + observed + ")");
        this.limit = limit;
    }

    /** Name of the component of {@link Limits}. */
    public String limit() {
        return limit;
    }
}
