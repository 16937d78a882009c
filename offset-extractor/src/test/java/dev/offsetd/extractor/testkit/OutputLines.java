package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The lines of a tool's output, one at a time and as bytes: a dump of a kernel has a hundred million lines, and most are
 * told by their first bytes to be of no matter. For one thread.
 */
final class OutputLines {

    private static final int BUFFER = 1 << 20;

    private final InputStream in;
    private byte[] bytes = new byte[BUFFER];
    private int limit;
    private int next;
    private int start;
    private int end;

    OutputLines(InputStream in) {
        this.in = in;
    }

    /** Goes to the next line; false at the end of the output. */
    boolean next() throws IOException {
        int scanned = next;
        while (true) {
            for (int i = scanned; i < limit; i++) {
                if (bytes[i] == '\n') {
                    line(i, i + 1);
                    return true;
                }
            }
            scanned = limit - next;
            if (!fill()) {
                if (next == limit) {
                    return false;
                }
                line(limit, limit);
                return true;
            }
        }
    }

    private void line(int to, int after) {
        start = next;
        end = to;
        next = after;
    }

    /** Moves the unfinished line to the front and reads on behind it. */
    private boolean fill() throws IOException {
        int kept = limit - next;
        if (kept == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        } else {
            System.arraycopy(bytes, next, bytes, 0, kept);
        }
        next = 0;
        limit = kept;
        int read = in.read(bytes, limit, bytes.length - limit);
        limit += Math.max(read, 0);
        return read > 0;
    }

    /** The bytes in the line, without its end. */
    int length() {
        return end - start;
    }

    /** The byte at this place in the line; 0 beyond its end. */
    byte at(int index) {
        return start + index < end ? bytes[start + index] : 0;
    }

    /** Whether these ASCII characters stand at this place. */
    boolean has(int index, String ascii) {
        if (length() < index + ascii.length()) {
            return false;
        }
        for (int i = 0; i < ascii.length(); i++) {
            if (bytes[start + index + i] != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The first place from {@code index} on where this character stands; the length of the line if there is none. */
    int find(char ascii, int index) {
        int i = index;
        while (i < length() && bytes[start + i] != ascii) {
            i++;
        }
        return Math.min(i, length());
    }

    /** The first place from {@code index} on that has no space. */
    int skipSpaces(int index) {
        int i = index;
        while (at(i) == ' ' || at(i) == '\t') {
            i++;
        }
        return i;
    }

    /** The first place from {@code index} on that belongs to no word of letters, digits and underscores. */
    int endOfWord(int index) {
        int i = index;
        while (at(i) == '_' || Character.isLetterOrDigit(at(i))) {
            i++;
        }
        return i;
    }

    /** The hexadecimal number at this place. */
    long hex(int index) throws IOException {
        long value = 0;
        int i = index;
        for (int digit = Character.digit(at(i), 16); digit >= 0; digit = Character.digit(at(++i), 16)) {
            value = value << 4 | digit;
        }
        if (i == index) {
            throw new IOException("no hexadecimal number at " + index + " of: " + text(0, length()));
        }
        return value;
    }

    /** The characters between two places. */
    String text(int from, int to) {
        return new String(bytes, start + from, to - from, StandardCharsets.UTF_8);
    }

    /** The whole line. */
    String text() {
        return text(0, length());
    }
}
