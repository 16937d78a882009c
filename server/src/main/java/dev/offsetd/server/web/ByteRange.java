package dev.offsetd.server.web;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/**
 * The part of a representation that a request asks for (RFC 9110 section 14). Spring's regions need a resource with a length, and
 * leave {@code If-Range} to the caller; here, one method answers for files, stored bytes and tables alike.
 *
 * @param first number of its first byte
 * @param length number of its bytes; at most 0 if the representation ends before
 */
public record ByteRange(long first, long length) {

    /** One range. A server may ignore the header, and sends everything to clients that ask for several ranges. */
    private static final Pattern RANGE = Pattern.compile("bytes=(?:([0-9]+)-([0-9]*)|-([0-9]+))");

    /**
     * Sets the status and the headers of validators and ranges of a response.
     *
     * @param etag validator of the representation, in quotes
     * @param bytes length of the representation
     * @param outside makes the problem of a range that begins after the end: 416
     * @return the part to send; null if the client has the representation
     */
    public static @Nullable ByteRange begin(
            HttpServletRequest request,
            HttpServletResponse response,
            String etag,
            long bytes,
            Function<ByteRange, Problem> outside) {
        boolean known = ETag.isKnown(request, etag);
        ByteRange range = known ? null : of(request, etag, bytes);
        if (range != null && range.length <= 0) {
            throw new ProblemException(outside.apply(range).withHeader(HttpHeaders.CONTENT_RANGE, "bytes */" + bytes));
        }
        response.setHeader(HttpHeaders.ETAG, etag);
        response.setHeader(HttpHeaders.ACCEPT_RANGES, "bytes");
        if (known) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return null;
        }
        if (range == null) {
            return new ByteRange(0, bytes);
        }
        response.setStatus(HttpServletResponse.SC_PARTIAL_CONTENT);
        response.setHeader(
                HttpHeaders.CONTENT_RANGE,
                "bytes " + range.first + "-" + (range.first + range.length - 1) + "/" + bytes);
        return range;
    }

    /** Returns the range of a request; null if it asks for everything. */
    private static @Nullable ByteRange of(HttpServletRequest request, String etag, long bytes) {
        List<String> headers = Collections.list(request.getHeaders(HttpHeaders.RANGE));
        String condition = request.getHeader(HttpHeaders.IF_RANGE);
        if (headers.size() != 1
                || !HttpMethod.GET.matches(request.getMethod())
                || (condition != null && !condition.strip().equals(etag))) {
            return null;
        }
        Matcher range = RANGE.matcher(Objects.requireNonNull(headers.getFirst()).strip());
        if (!range.matches()) {
            return null;
        }
        if (range.group(3) != null) {
            long last = Math.min(bytes, number(range.group(3)));
            return new ByteRange(bytes - last, last);
        }
        long first = number(range.group(1));
        long last = range.group(2).isEmpty() ? Long.MAX_VALUE : number(range.group(2));
        // A range that ends before it begins is malformed, and so ignored.
        return last < first ? null : new ByteRange(first, Math.min(last, bytes - 1) - first + 1);
    }

    /** Returns a number; one beyond 2^63 is beyond every representation, as is the largest. */
    private static long number(String digits) {
        return new BigInteger(digits).min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
    }
}
