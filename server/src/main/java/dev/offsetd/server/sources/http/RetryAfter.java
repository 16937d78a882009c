package dev.offsetd.server.sources.http;

import com.google.re2j.Pattern;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import okhttp3.Headers;
import okhttp3.Response;

/** The {@code Retry-After} header (RFC 9110 section 10.2.3): seconds, or a date. */
public final class RetryAfter {

    private static final String NAME = "Retry-After";

    private static final Pattern SECONDS = Pattern.compile("[0-9]+");

    /** 30 years. OkHttp parses the seconds, too, and fails on numbers beyond an int. */
    private static final int MAX_DIGITS = 9;

    private RetryAfter() {}

    /**
     * Returns the requested pause from {@code now}; empty if the header is absent or malformed.
     *
     * @param max limit that replaces a longer pause
     */
    public static Optional<Duration> in(Headers headers, Instant now, Duration max) {
        String value = headers.get(NAME);
        if (value == null) {
            return Optional.empty();
        }
        if (SECONDS.matcher(value).matches()) {
            return Optional.of(within(max, Duration.ofSeconds(Long.parseLong(shortened(value)))));
        }
        return Optional.ofNullable(headers.getInstant(NAME)).map(date -> within(max, Duration.between(now, date)));
    }

    /** Returns the response with its seconds shortened to a number that OkHttp can parse. */
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
