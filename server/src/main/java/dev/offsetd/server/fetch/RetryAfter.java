package dev.offsetd.server.fetch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.Headers;

/** The {@code Retry-After} header (RFC 9110 section 10.2.3): seconds, or a date. */
final class RetryAfter {

    /** Longest wait that is believed. An upstream that asks for more, by mistake or malice, is asked again tomorrow. */
    static final Duration MAX = Duration.ofDays(1);

    private static final String NAME = "Retry-After";

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,18}");

    private RetryAfter() {}

    /** How long from {@code now} to wait; empty if the header is absent or says nothing that can be read. */
    static Optional<Duration> in(Headers headers, Instant now) {
        String value = headers.get(NAME);
        if (value == null) {
            return Optional.empty();
        }
        if (SECONDS.matcher(value).matches()) {
            return Optional.of(withinReason(Duration.ofSeconds(Long.parseLong(value))));
        }
        return Optional.ofNullable(headers.getInstant(NAME)).map(date -> withinReason(Duration.between(now, date)));
    }

    private static Duration withinReason(Duration wait) {
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(MAX) > 0 ? MAX : wait;
    }
}
