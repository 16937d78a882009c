package dev.offsetd.server.exports;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.PacedOutput;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;

/** Writes rendered exports to HTTP responses: whole, one range of bytes, or 304 if the client has them. */
final class ExportResponse {

    static final String OMITTED = "X-Offsetd-Omitted";

    /** {@code Cache-Control} under a URL whose bytes never change. */
    private static final String IMMUTABLE = "public, max-age=31536000, immutable";

    /** A single range (RFC 9110 section 14.1.2). A server may ignore {@code Range}, and this one ignores several ranges. */
    private static final Pattern RANGE = Pattern.compile("bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))");

    private final ExportFile file;
    private final HttpServletRequest request;
    private final HttpServletResponse response;

    private ExportResponse(ExportFile file, HttpServletRequest request, HttpServletResponse response) {
        this.file = file;
        this.request = request;
        this.response = response;
    }

    /**
     * Writes the response to a GET of a revision.
     *
     * @param coding of the file
     * @param varies whether other codings are offered
     */
    static void write(
            ExportFile file,
            String contentType,
            ContentCoding coding,
            boolean varies,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        if (varies) {
            response.addHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
        }
        new ExportResponse(file, request, response).write(contentType, coding);
    }

    /** Writes the response to a POST, which caches must not store. */
    static void writeOnce(
            ExportFile file,
            String contentType,
            ContentCoding coding,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setStatus(HttpServletResponse.SC_OK);
        ExportResponse of = new ExportResponse(file, request, response);
        of.describe(contentType, coding);
        of.send(0, file.length());
    }

    private void write(String contentType, ContentCoding coding) throws IOException {
        List<String> known = Collections.list(request.getHeaders(HttpHeaders.IF_NONE_MATCH));
        // Tags contain no quotes, so the quoted tag matches whole list members only. If-None-Match compares weakly.
        if (known.stream()
                .anyMatch(tags -> tags.contains(file.etag()) || tags.strip().equals("*"))) {
            setValidators();
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        Optional<Range> range = range();
        setValidators();
        response.setHeader(HttpHeaders.ACCEPT_RANGES, "bytes");
        describe(contentType, coding);
        if (range.isPresent()) {
            response.setStatus(HttpServletResponse.SC_PARTIAL_CONTENT);
            response.setHeader(
                    HttpHeaders.CONTENT_RANGE,
                    "bytes " + range.get().first() + "-" + range.get().last() + "/" + file.length());
            send(range.get().first(), range.get().last() - range.get().first() + 1);
        } else {
            response.setStatus(HttpServletResponse.SC_OK);
            send(0, file.length());
        }
    }

    private void describe(String contentType, ContentCoding coding) {
        response.setContentType(contentType);
        response.setHeader(OMITTED, Long.toString(file.omitted()));
        if (coding != ContentCoding.IDENTITY) {
            response.setHeader(HttpHeaders.CONTENT_ENCODING, coding.token());
        }
    }

    private void setValidators() {
        response.setHeader(HttpHeaders.ETAG, file.etag());
        response.setHeader(HttpHeaders.CACHE_CONTROL, IMMUTABLE);
    }

    /** First and last byte, both included. */
    private record Range(long first, long last) {}

    /**
     * Returns the range that the client asks for; empty if it asks for the whole file.
     *
     * @throws ProblemException if the file has no byte in it: 416
     */
    private Optional<Range> range() {
        Matcher asked = RANGE.matcher(String.valueOf(request.getHeader(HttpHeaders.RANGE)));
        String condition = request.getHeader(HttpHeaders.IF_RANGE);
        if (!HttpMethod.GET.matches(request.getMethod())
                || !asked.matches()
                || (condition != null && !condition.strip().equals(file.etag()))) {
            return Optional.empty();
        }
        long end = file.length() - 1;
        long first;
        long last;
        if (asked.group(3) != null) {
            long suffix = Long.parseLong(asked.group(3));
            first = suffix == 0 ? file.length() : Math.max(0, file.length() - suffix);
            last = end;
        } else {
            first = Long.parseLong(asked.group(1));
            last = asked.group(2).isEmpty() ? Long.MAX_VALUE : Long.parseLong(asked.group(2));
            if (last < first) {
                // Malformed, and so ignored.
                return Optional.empty();
            }
        }
        if (first > end) {
            throw new ProblemException(Problem.of(
                            HttpStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                            "bad_range",
                            "The range is outside of the export",
                            "the range starts at byte " + first + "; the export has " + file.length() + " bytes")
                    .withHeader(HttpHeaders.CONTENT_RANGE, "bytes */" + file.length()));
        }
        return Optional.of(new Range(first, Math.min(last, end)));
    }

    private void send(long from, long count) throws IOException {
        response.setContentLengthLong(count);
        if (!HttpMethod.HEAD.matches(request.getMethod())) {
            file.writeTo(new PacedOutput(response.getOutputStream()), from, count);
        }
    }
}
