package dev.offsetd.server.web;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.springframework.http.ResponseEntity;

/**
 * Time that a client waits: the {@code wait} preference of {@code Prefer} (RFC 7240 section 4.3). The RFC requires that
 * malformed preferences are ignored.
 *
 * @param time at most {@link #MAX}
 * @param requested whether the client stated it
 */
public record Wait(Duration time, boolean requested) {

    /** Header of responses to requests with the preference. */
    public static final String APPLIED = "Preference-Applied";

    public static final Duration MAX = Duration.ofSeconds(30);

    /** For callers that do not wait. */
    public static final Wait NONE = new Wait(Duration.ZERO, false);

    /** Attribute of requests that arrive while more than half of the connections are in use: they wait for {@link #SHORT}. */
    public static final String CROWDED = Wait.class.getName() + ".crowded";

    /** Bound of the time on a crowded server, so that clients that wait do not keep others from connecting. */
    static final Duration SHORT = Duration.ofSeconds(1);

    /** Time for requests without the preference. */
    static final Duration DEFAULT = Duration.ofSeconds(10);

    /** {@code wait=N} at the start of one preference; parameters may follow. */
    private static final Pattern PREFERENCE = Pattern.compile(
            "[ \t]*wait[ \t]*=[ \t]*(?:\"([0-9]{1,9})\"|([0-9]{1,9}))[ \t]*(?:;.*)?", Pattern.CASE_INSENSITIVE);

    /** Returns the first {@code wait} preference of the headers (RFC 7240 section 2), or the default. */
    static Wait of(List<String> headers) {
        for (String header : headers) {
            for (String preference : header.split(",", -1)) {
                Optional<Wait> wait = of(preference);
                if (wait.isPresent()) {
                    return wait.get();
                }
            }
        }
        return new Wait(DEFAULT, false);
    }

    /** Parses one preference; empty if it is another preference. */
    static Optional<Wait> of(CharSequence preference) {
        Matcher matcher = PREFERENCE.matcher(preference);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Duration requested =
                Duration.ofSeconds(Long.parseLong(matcher.group(1) == null ? matcher.group(2) : matcher.group(1)));
        return Optional.of(new Wait(requested.compareTo(MAX) > 0 ? MAX : requested, true));
    }

    public static Wait of(HttpServletRequest request) {
        return of(Collections.list(request.getHeaders("Prefer"))).permittedTo(request);
    }

    /** Returns this time, or a shorter one on a crowded server. */
    public Wait permittedTo(HttpServletRequest request) {
        return request.getAttribute(CROWDED) == null || time.compareTo(SHORT) <= 0 ? this : new Wait(SHORT, requested);
    }

    /** Adds {@value #APPLIED}, if the client stated a time. */
    public void applyTo(ResponseEntity.HeadersBuilder<?> response) {
        applied().ifPresent(value -> response.header(APPLIED, value));
    }

    /** Returns the value of {@value #APPLIED}; empty if the client stated no time. */
    public Optional<String> applied() {
        return requested ? Optional.of("wait=" + time.toSeconds()) : Optional.empty();
    }
}
