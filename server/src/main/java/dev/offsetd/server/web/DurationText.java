package dev.offsetd.server.web;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.springframework.boot.convert.DurationStyle;

/** Text of durations for people. */
public final class DurationText {

    private static final List<ChronoUnit> UNITS = List.of(
            ChronoUnit.DAYS,
            ChronoUnit.HOURS,
            ChronoUnit.MINUTES,
            ChronoUnit.SECONDS,
            ChronoUnit.MILLIS,
            ChronoUnit.MICROS);

    private DurationText() {}

    /** Returns a duration as settings have it, in its largest whole unit: {@code 90m}, {@code 250ms}. */
    public static String of(Duration time) {
        ChronoUnit unit = UNITS.stream()
                .filter(each -> !time.isZero() && isWhole(time, each))
                .findFirst()
                .orElse(time.isZero() ? ChronoUnit.SECONDS : ChronoUnit.NANOS);
        return DurationStyle.SIMPLE.print(time, unit);
    }

    private static boolean isWhole(Duration time, ChronoUnit unit) {
        return Duration.of(time.dividedBy(unit.getDuration()), unit).equals(time);
    }
}
