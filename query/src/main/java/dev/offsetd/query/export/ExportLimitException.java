package dev.offsetd.query.export;

/** An export that exceeds a limit of its format as a whole. The message says which. */
public final class ExportLimitException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ExportLimitException(String message) {
        super(message);
    }
}
