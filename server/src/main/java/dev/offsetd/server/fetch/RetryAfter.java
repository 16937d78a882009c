package dev.offsetd.server.fetch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.Headers;
import okhttp3.Response;

/** The {@code Retry-After} header (RFC 9110 section 10.2.3): seconds, or a date. */
final class RetryAfter {

    private static final String NAME = "Retry-After";

    private static final Pattern SECONDS = Pattern.compile("[0-9]+");

    /** 30 years. OkHttp reads these seconds too, and takes no more than an int. */
    private static final int MAX_DIGITS = 9;

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
            return Optional.of(within(max, Duration.ofSeconds(Long.parseLong(shortened(value)))));
        }
        return Optional.ofNullable(headers.getInstant(NAME)).map(date -> within(max, Duration.between(now, date)));
    }

    /** The same response, with a number of seconds that OkHttp can read, if it has any. */
    static Response shortened(Response response) {
        String value = response.header(NAME);
        return value == null
                ? response
                : response.newBuilder().header(NAME, shortened(value)).build();
    }

    private static String shortened(String value) {
        return SECONDS.matcher(value).matches() && value.length() > MAX_DIGITS ? "9".repeat(MAX_DIGITS) : value;
    }

    private static Duration within(Duration max, Duration wait) {
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(max) > 0 ? max : wait;
    }
}
