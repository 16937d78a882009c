package dev.offsetd.server.query;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.ResponseEntity;

/**
 * How long a caller wants to wait: the {@code wait} preference of {@code Prefer} headers (RFC 7240 §4.3). A preference
 * that cannot be read is as good as none; that is what the RFC asks for.
 *
 * @param time at most {@link #MAX}
 * @param asked whether the caller asked for it
 */
public record Wait(Duration time, boolean asked) {

    /** Longest time that a request waits. */
    static final Duration MAX = Duration.ofSeconds(30);

    /** Time that a request waits that does not ask for another. */
    static final Duration DEFAULT = Duration.ofSeconds(10);

    /** {@code wait=N} at the start of one preference; parameters may follow. */
    private static final Pattern PREFERENCE =
            Pattern.compile("[ \t]*wait[ \t]*=[ \t]*(\"?)([0-9]{1,9})\\1[ \t]*(;.*)?", Pattern.CASE_INSENSITIVE);

    /** The wait that these headers ask for; the first one counts (RFC 7240 §2). */
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

    /** The wait that one preference asks for; empty if it is another preference. */
    static Optional<Wait> of(CharSequence preference) {
        Matcher matcher = PREFERENCE.matcher(preference);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Duration asked = Duration.ofSeconds(Long.parseLong(matcher.group(2)));
        return Optional.of(new Wait(asked.compareTo(MAX) > 0 ? MAX : asked, true));
    }

    /** The wait that a request asks for. */
    public static Wait of(HttpServletRequest request) {
        return of(Collections.list(request.getHeaders("Prefer")));
    }

    /** Has the response say how long was waited, if the caller asked for a time ({@code Preference-Applied}). */
    public void applyTo(ResponseEntity.HeadersBuilder<?> response) {
        applied().ifPresent(value -> response.header("Preference-Applied", value));
    }

    /** Value of {@code Preference-Applied}; empty if the caller did not ask. */
    public Optional<String> applied() {
        return asked ? Optional.of("wait=" + time.toSeconds()) : Optional.empty();
    }
}
