package dev.offsetd.packages;

import java.io.IOException;

/** A file of an archive cannot be written to the disk, which says nothing of the archive. */
final class CopyFailedException extends IOException {

    CopyFailedException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
