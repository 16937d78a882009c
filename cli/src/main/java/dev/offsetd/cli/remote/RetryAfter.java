package dev.offsetd.cli.remote;

import com.google.re2j.Pattern;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Parser of {@code Retry-After} (RFC 9110 §10.2.3), in seconds or as a date. */
public final class RetryAfter {

    private RetryAfter() {}

    /** Returns the time from now; empty if the header is missing or malformed. */
    public static Optional<Duration> of(HttpResponse<?> response) {
        String text = response.headers().firstValue("Retry-After").orElse("");
        if (Pattern.matches("[0-9]{1,9}", text)) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
        }
        try {
            Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            Duration left = Duration.between(Instant.now(), date);
            return Optional.of(left.isNegative() ? Duration.ZERO : left);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
