package dev.offsetd.server.fetch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.Headers;

/** The {@code Retry-After} header (RFC 9110 section 10.2.3): seconds, or a date. */
final class RetryAfter {

    private static final String NAME = "Retry-After";

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,18}");

    private RetryAfter() {}

    /**
     * How long from {@code now} to wait; empty if the header is absent or says nothing that can be read.
     *
     * @param max what a longer wait becomes, be it asked for by mistake or malice
     */
    static Optional<Duration> in(Headers headers, Instant now, Duration max) {
        String value = headers.get(NAME);
        if (value == null) {
            return Optional.empty();
        }
        if (SECONDS.matcher(value).matches()) {
            return Optional.of(within(max, Duration.ofSeconds(Long.parseLong(value))));
        }
        return Optional.ofNullable(headers.getInstant(NAME)).map(date -> within(max, Duration.between(now, date)));
    }

    private static Duration within(Duration max, Duration wait) {
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(max) > 0 ? max : wait;
    }
}
