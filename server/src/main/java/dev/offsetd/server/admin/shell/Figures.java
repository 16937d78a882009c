package dev.offsetd.server.admin.shell;

import java.time.Duration;
import java.util.Locale;

/** Numbers as pages show them. */
public final class Figures {

    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

    private Figures() {}

    /** A count, with commas between thousands. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** A size in the largest unit that it fills, with one decimal place. */
    public static String bytes(long bytes) {
        if (bytes < 1024) {
            return bytes + (bytes == 1 ? " byte" : " bytes");
        }
        double size = bytes / 1024.0;
        int unit = 0;
        // What would be shown as 1024.0 is one of the next.
        while (size >= 1023.95 && unit < UNITS.length - 1) {
            size /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", size, UNITS[unit]);
    }

    /** A span of time in its one or two largest units: {@code 120 ms}, {@code 4.2 s}, {@code 3 min 5 s}, {@code 2 d 4 h}. */
    public static String time(Duration time) {
        long seconds = time.toSeconds();
        if (time.toMillis() < 1000) {
            return time.toMillis() + " ms";
        }
        if (seconds < 10) {
            return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
        }
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return two(time.toMinutes(), "min", seconds % 60, "s");
        }
        if (seconds < 86_400) {
            return two(time.toHours(), "h", time.toMinutes() % 60, "min");
        }
        return two(time.toDays(), "d", time.toHours() % 24, "h");
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return large + " " + largeUnit + (small == 0 ? "" : " " + small + " " + smallUnit);
    }
}
