package dev.offsetd.server.exports;

import dev.offsetd.server.web.ByteRange;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.PacedOutput;
import dev.offsetd.server.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;

/**
 * Rendered export as an HTTP response: whole, one range of bytes, or 304 if the client has it.
 *
 * @param coding of the file
 */
record ExportResponse(ExportFile file, ServedFormat format, ContentCoding coding) {

    static final String OMITTED = "X-Offsetd-Omitted";

    /** {@code Cache-Control} under a URL whose bytes never change. */
    private static final String IMMUTABLE = "public, max-age=31536000, immutable";

    /** Writes the response to a GET of a revision. */
    void write(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (format.codings().size() > 1) {
            response.addHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
        }
        ByteRange sent = ByteRange.begin(
                request,
                response,
                file.etag(),
                file.length(),
                range -> Problem.of(
                        HttpStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                        "bad_range",
                        "The range is outside of the export",
                        "the range starts at byte " + range.first() + "; the export has " + file.length() + " bytes"));
        response.setHeader(HttpHeaders.CACHE_CONTROL, IMMUTABLE);
        if (sent != null) {
            send(sent, request, response);
        }
    }

    /** Writes the response to a POST, which caches must not store. */
    void writeOnce(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        send(new ByteRange(0, file.length()), request, response);
    }

    private void send(ByteRange range, HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType(format.contentType());
        response.setHeader(OMITTED, Long.toString(file.omitted()));
        if (coding != ContentCoding.IDENTITY) {
            response.setHeader(HttpHeaders.CONTENT_ENCODING, coding.token());
        }
        response.setContentLengthLong(range.length());
        if (!HttpMethod.HEAD.matches(request.getMethod())) {
            file.writeTo(new PacedOutput(response.getOutputStream()), range.first(), range.length());
        }
    }
}
