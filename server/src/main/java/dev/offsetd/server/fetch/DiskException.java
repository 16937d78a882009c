package dev.offsetd.server.fetch;

import java.io.IOException;
import java.nio.file.FileSystemException;

/** Our own disk failed. Kept apart from other input and output errors, which are an upstream's. */
public final class DiskException extends IOException {

    private final String detail;

    DiskException(IOException cause) {
        super(cause);
        this.detail = withoutPaths(cause);
    }

    /** What to say in {@link FetchOutcome#diskFailed}. */
    public String detail() {
        return detail;
    }

    /** What failed, as the file system says it. Its path stays in the log: callers hear of this, too. */
    private static String withoutPaths(IOException cause) {
        if (!(cause instanceof FileSystemException failure)) {
            return cause.toString();
        }
        String kind = failure.getClass().getSimpleName();
        return failure.getReason() == null ? kind : kind + ": " + failure.getReason();
    }
}
