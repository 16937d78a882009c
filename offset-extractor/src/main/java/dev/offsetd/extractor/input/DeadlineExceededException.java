package dev.offsetd.extractor.input;

import java.time.Duration;

/** Work on what has been read takes longer than its {@link Deadline} allows. */
public final class DeadlineExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Duration limit;

    DeadlineExceededException(Duration limit) {
        super("the work takes longer than " + limit.toSeconds() + " s");
        this.limit = limit;
    }

    /** Returns this as the error of the file whose contents take so long. */
    public LimitExceededException ofFile() {
        return new LimitExceededException(
                "file",
                ExtractionException.NO_OFFSET,
                Deadline.MAX_DURATION,
                limit.toMillis(),
                "its types and symbols take longer");
    }
}
