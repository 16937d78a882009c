package dev.offsetd.server.web;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Error response (RFC 9457) without the members that depend on the request: its path, build and id.
 *
 * @param code identifies the cause for programs: lower case, words joined by underscores
 * @param title the cause in words; the same for each code
 * @param detail of this occurrence, without tokens
 * @param members further members of the body, in order
 * @param headers further headers
 */
public record Problem(
        HttpStatus status,
        String code,
        String title,
        String detail,
        Map<String, Object> members,
        Map<String, String> headers) {

    public static final String MEDIA_TYPE = "application/problem+json";

    /** Longest time that shared caches may store a definite miss. */
    private static final long MAX_CACHED_SECONDS = 60;

    public Problem {
        detail = TokenShape.redact(detail);
        members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        headers = Map.copyOf(headers);
    }

    /** Returns a problem without further members, which caches must not store. */
    public static Problem of(HttpStatus status, String code, String title, String detail) {
        return new Problem(status, code, title, detail, Map.of(), Map.of(HttpHeaders.CACHE_CONTROL, "no-store"));
    }

    /** Returns the problem of work that may succeed when less is going on: 503. */
    public static Problem busy(String detail, Duration retryAfter) {
        return of(HttpStatus.SERVICE_UNAVAILABLE, "busy", "The server is busy", detail)
                .retryAfter(retryAfter);
    }

    /** Returns the problem of a query that takes more than a server spends on one: 422. */
    public static Problem limitExceeded(String title, @Nullable String detail) {
        return of(HttpStatus.UNPROCESSABLE_CONTENT, "limit_exceeded", title, String.valueOf(detail));
    }

    public Problem with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(name, value);
        return new Problem(status, code, title, detail, more, headers);
    }

    /** Returns this problem with more in its detail. */
    public Problem withDetail(String more) {
        return new Problem(status, code, title, detail + "; " + more, members, headers);
    }

    public Problem withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Problem(status, code, title, detail, members, more);
    }

    /** Returns this problem with the time until a retry, in whole seconds, as a member and a header. */
    public Problem retryAfter(Duration time) {
        long seconds = wholeSeconds(time);
        return with("retryAfter", seconds).withHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
    }

    /** Returns this problem, which caches may store for this time, but at most a minute. */
    public Problem cacheable(Duration time) {
        return withHeader(
                HttpHeaders.CACHE_CONTROL, "public, max-age=" + Math.min(MAX_CACHED_SECONDS, wholeSeconds(time)));
    }

    /** Returns a time in seconds, rounded up. */
    public static long wholeSeconds(Duration time) {
        return time.plusNanos(999_999_999).toSeconds();
    }
}
