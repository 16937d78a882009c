package dev.offsetd.cli.file;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** The lines of an input as they are, with their ends. A line that is longer than any trace has comes in pieces. */
final class RawLines {

    /** Length of a piece, so that an input without line ends takes no more memory. */
    static final int MAX_BYTES = 1 << 16;

    private final InputStream in;

    RawLines(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    /** Returns the next line or piece; no bytes at the end of the input. */
    byte[] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        while (next >= 0) {
            line.write(next);
            if (next == '\n' || line.size() == MAX_BYTES) {
                break;
            }
            next = in.read();
        }
        return line.toByteArray();
    }
}
