package dev.offsetd.server.fetch;

import java.io.IOException;

/** Our own disk failed. Kept apart from other input and output errors, which are an upstream's. */
public final class DiskException extends IOException {

    private final String detail;

    DiskException(IOException cause) {
        super(cause);
        this.detail = cause.toString();
    }

    /** What to say in {@link FetchOutcome.LocalFailure}. */
    public String detail() {
        return detail;
    }
}
