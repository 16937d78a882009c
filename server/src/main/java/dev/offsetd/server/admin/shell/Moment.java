package dev.offsetd.server.admin.shell;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A time as pages show it.
 *
 * @param iso for programs, to the second
 * @param text for people, in UTC, to the minute
 */
public record Moment(String iso, String text) {

    private static final DateTimeFormatter TEXT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    public static Moment of(Instant time) {
        return new Moment(time.truncatedTo(ChronoUnit.SECONDS).toString(), TEXT.format(time));
    }

    /** The same, or null for no time. */
    public static @Nullable Moment orNull(@Nullable Instant time) {
        return time == null ? null : of(time);
    }
}
