package dev.offsetd.server.sources;

import java.io.IOException;
import java.nio.file.FileSystemException;

/** The server's own disk failed. Distinct from other I/O errors, which are the upstream's. */
public final class DiskException extends IOException {

    private final String detail;

    DiskException(IOException cause) {
        super(cause);
        this.detail = withoutPaths(cause);
    }

    /** Detail for {@link FetchOutcome#diskFailed}. */
    public String detail() {
        return detail;
    }

    /** Describes the failure without paths: clients see it, and the log has them. */
    private static String withoutPaths(IOException cause) {
        if (!(cause instanceof FileSystemException failure)) {
            return cause.toString();
        }
        String kind = failure.getClass().getSimpleName();
        return failure.getReason() == null ? kind : kind + ": " + failure.getReason();
    }
}
