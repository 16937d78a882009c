package dev.offsetd.server.answers.offsets;

import dev.offsetd.server.answers.CacheHeaders;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.web.ContentCoding;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Enumeration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** Writes answers to HTTP responses, for the controller and for the cache filter. */
final class AnswerResponse {

    private AnswerResponse() {}

    /** Writes the answer to a GET, or 304 if the client has it. */
    static void write(Answer answer, HttpServletRequest request, HttpServletResponse response) throws IOException {
        write(answer, answer.lasting() ? CacheHeaders.LASTING : CacheHeaders.SHORT_LIVED, request, response);
    }

    /** Writes the answer to a GET with the given {@code Cache-Control}, or 304 if the client has it. */
    static void write(Answer answer, String cacheControl, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setHeader(HttpHeaders.ETAG, answer.etag());
        response.setHeader(HttpHeaders.CACHE_CONTROL, cacheControl);
        response.addHeader(HttpHeaders.VARY, CacheHeaders.VARY);
        Wait.of(request).applied().ifPresent(value -> response.setHeader("Preference-Applied", value));
        if (isCached(request, answer.etag())) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        writeBody(answer, request, response);
    }

    /** Writes the answer to a POST, which caches must not store. */
    static void writeUncached(Answer answer, HttpServletRequest request, HttpServletResponse response)
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

    /** Returns whether the value of {@code If-None-Match} names a representation (RFC 9110 section 13.1.2). */
    static boolean matches(String tags, String etag) {
        // Tags contain no quotes, so the quoted tag matches whole list members only. If-None-Match compares weakly.
        return tags.contains(etag) || tags.strip().equals("*");
    }

    /** Returns whether {@code If-None-Match} names this representation. */
    private static boolean isCached(HttpServletRequest request, String etag) {
        Enumeration<String> headers = request.getHeaders(HttpHeaders.IF_NONE_MATCH);
        while (headers.hasMoreElements()) {
            String tags = headers.nextElement();
            if (matches(tags, etag)) {
                return true;
            }
        }
        return false;
    }
}
