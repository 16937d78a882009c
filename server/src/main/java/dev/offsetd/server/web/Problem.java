package dev.offsetd.server.web;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * An error answer (RFC 9457), but for what only the request can tell: its path, the build in that, and its id.
 *
 * @param code names the cause for programs: lower case, words joined by underscores
 * @param title the cause in words; the same for every answer with this code
 * @param detail what happened this time
 * @param members further members of the body, in this order
 * @param headers further headers
 */
public record Problem(
        HttpStatus status,
        String code,
        String title,
        String detail,
        Map<String, Object> members,
        Map<String, String> headers) {

    /** Media type of every error answer. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** Longest time, in seconds, that a definite miss may be kept by caches between us and the caller. */
    private static final long MAX_CACHED_SECONDS = 60;

    public Problem {
        members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        headers = Map.copyOf(headers);
    }

    /** A problem without further members; caches must not keep it. */
    public static Problem of(HttpStatus status, String code, String title, String detail) {
        return new Problem(status, code, title, detail, Map.of(), Map.of(HttpHeaders.CACHE_CONTROL, "no-store"));
    }

    /** This problem with one more member. */
    public Problem with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(name, value);
        return new Problem(status, code, title, detail, more, headers);
    }

    /** This problem with one more header. */
    public Problem withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Problem(status, code, title, detail, members, more);
    }

    /** This problem, saying when to ask again: in whole seconds, as a member and as a header. */
    public Problem retryAfter(Duration time) {
        long seconds = wholeSeconds(time);
        return with("retryAfter", seconds).withHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
    }

    /** This problem, which caches may keep for so long, though never longer than a minute. */
    public Problem cacheable(Duration time) {
        return withHeader(
                HttpHeaders.CACHE_CONTROL, "public, max-age=" + Math.min(MAX_CACHED_SECONDS, wholeSeconds(time)));
    }

    private static long wholeSeconds(Duration time) {
        return time.plusNanos(999_999_999).toSeconds();
    }
}
