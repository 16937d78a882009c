package dev.offsetd.query.answer;

import java.util.Locale;

/** Text of a number of bytes: in the pages, on terminals and in messages. */
public final class ByteCount {

    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

    private ByteCount() {}

    /** Returns a size in the largest binary unit that it fills, with one decimal place; {@code upload.js} has the same rule. */
    public static String text(long bytes) {
        if (bytes < 1024) {
            return String.format(Locale.ROOT, "%,d %s", bytes, bytes == 1 ? "byte" : "bytes");
        }
        double size = bytes / 1024.0;
        int unit = 0;
        // From here on rounding would show 1,000.0; the next unit shows 1.0.
        while (size >= 999.95 && unit < UNITS.length - 1) {
            size /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%,.1f %s", size, UNITS[unit]);
    }
}
