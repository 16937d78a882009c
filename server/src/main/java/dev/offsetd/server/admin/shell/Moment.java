package dev.offsetd.server.admin.shell;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An instant with its texts in UTC.
 *
 * @param iso to the second
 * @param text to the minute
 */
public record Moment(String iso, String text) {

    private static final DateTimeFormatter TEXT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    public static Moment of(Instant time) {
        return new Moment(time.truncatedTo(ChronoUnit.SECONDS).toString(), TEXT.format(time));
    }

    /** Returns null for null. */
    public static @Nullable Moment orNull(@Nullable Instant time) {
        return time == null ? null : of(time);
    }
}
