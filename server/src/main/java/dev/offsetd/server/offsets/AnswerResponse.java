package dev.offsetd.server.offsets;

import dev.offsetd.server.query.CacheHeaders;
import dev.offsetd.server.query.Wait;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Enumeration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** Writes answers: the same way from memory and after a look at the database. */
final class AnswerResponse {

    private AnswerResponse() {}

    /** Writes the answer to a question in a URL, or that it has not changed. */
    static void write(Answer answer, HttpServletRequest request, HttpServletResponse response) throws IOException {
        write(answer, answer.lasting() ? CacheHeaders.LASTING : CacheHeaders.SHORT_LIVED, request, response);
    }

    /** The same, with the {@code Cache-Control} that is given. */
    static void write(Answer answer, String cacheControl, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setHeader(HttpHeaders.ETAG, answer.etag());
        response.setHeader(HttpHeaders.CACHE_CONTROL, cacheControl);
        response.addHeader(HttpHeaders.VARY, CacheHeaders.VARY);
        Wait.of(request).applied().ifPresent(value -> response.setHeader("Preference-Applied", value));
        if (hasIt(request, answer.etag())) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        writeBody(answer, request, response);
    }

    /** Writes the answer to a question in a body, which no cache can know again. */
    static void writeUnnamed(Answer answer, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        Wait.of(request).applied().ifPresent(value -> response.setHeader("Preference-Applied", value));
        writeBody(answer, request, response);
    }

    private static void writeBody(Answer answer, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setStatus(HttpServletResponse.SC_OK);
        response.setContentType(answer.representation().contentType());
        if (answer.coding() == ContentCoding.GZIP) {
            response.setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
        }
        response.setContentLengthLong(answer.body().length());
        if (!HttpMethod.HEAD.matches(request.getMethod())) {
            answer.body().writeTo(response.getOutputStream());
        }
    }

    /** Whether the caller has this representation already ({@code If-None-Match}, RFC 9110 section 13.1.2). */
    private static boolean hasIt(HttpServletRequest request, String etag) {
        Enumeration<String> headers = request.getHeaders(HttpHeaders.IF_NONE_MATCH);
        while (headers.hasMoreElements()) {
            String tags = headers.nextElement();
            // Tags hold no quotes, so ours in its quotes is found only where it is one of them; W/ before it is passed
            // over.
            if (tags.contains(etag) || tags.strip().equals("*")) {
                return true;
            }
        }
        return false;
    }
}
