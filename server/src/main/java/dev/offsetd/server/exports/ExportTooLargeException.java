package dev.offsetd.server.exports;

import java.io.IOException;

/** An export that is larger than all exports may be. */
final class ExportTooLargeException extends IOException {

    ExportTooLargeException(long limit) {
        super("the export is larger than offsetd.exports.max-size, which is " + limit + " bytes");
    }
}
