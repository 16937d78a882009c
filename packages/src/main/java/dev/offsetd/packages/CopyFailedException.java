package dev.offsetd.packages;

import dev.offsetd.extractor.input.IoReason;
import java.io.IOException;

/** A copy cannot be written to the disk or read from it, which says nothing of what was copied. */
final class CopyFailedException extends IOException {

    CopyFailedException(IOException cause) {
        super(IoReason.withPath(cause), cause);
    }
}
