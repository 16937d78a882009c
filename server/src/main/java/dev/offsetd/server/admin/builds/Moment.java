package dev.offsetd.server.admin.builds;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * A time as pages show it.
 *
 * @param iso for programs
 * @param text for people, in UTC
 */
public record Moment(String iso, String text) {

    private static final DateTimeFormatter TEXT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneOffset.UTC);

    public static Moment of(Instant time) {
        return new Moment(time.toString(), TEXT.format(time));
    }

    /** The same, or null for no time. */
    public static @Nullable Moment orNull(@Nullable Instant time) {
        return time == null ? null : of(time);
    }
}
