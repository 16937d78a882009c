package dev.offsetd.server.offsets;

import dev.offsetd.server.query.SpooledBody;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Enumeration;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.springframework.http.HttpHeaders;

/** Content coding of a response body (RFC 9110 section 8.4.1). */
enum ContentCoding {
    IDENTITY,
    GZIP;

    /** Weights (RFC 9110 section 12.4.2) are counted in thousandths. */
    private static final int FULL = 1000;

    private static final int NOT_SAID = -1;

    /** Returns the coding for a request: gzip if the client prefers it or has no preference. */
    static ContentCoding of(HttpServletRequest request) {
        Enumeration<String> headers = request.getHeaders(HttpHeaders.ACCEPT_ENCODING);
        if (!headers.hasMoreElements()) {
            return IDENTITY;
        }
        String first = headers.nextElement();
        if (!headers.hasMoreElements()) {
            return accepted(first);
        }
        StringBuilder all = new StringBuilder(first);
        while (headers.hasMoreElements()) {
            all.append(',').append(headers.nextElement());
        }
        return accepted(all.toString());
    }

    /**
     * Returns the coding that an {@code Accept-Encoding} header asks for (RFC 9110 section 12.5.3): {@link #IDENTITY}
     * if neither is acceptable. Malformed weights count as 1.
     */
    static ContentCoding accepted(String header) {
        if (header.equals("gzip") || header.startsWith("gzip, ")) {
            return GZIP;
        }
        int gzip = NOT_SAID;
        int identity = NOT_SAID;
        int others = NOT_SAID;
        for (String element : header.split(",", -1)) {
            int semicolon = element.indexOf(';');
            String coding = (semicolon < 0 ? element : element.substring(0, semicolon))
                    .strip()
                    .toLowerCase(Locale.ROOT);
            int weight = semicolon < 0 ? FULL : weight(element.substring(semicolon + 1));
            switch (coding) {
                case "gzip", "x-gzip" -> gzip = weight;
                case "identity" -> identity = weight;
                case "*" -> others = weight;
                default -> {
                    // Unsupported coding.
                }
            }
        }
        if (gzip == NOT_SAID) {
            gzip = others;
        }
        return gzip > 0 && gzip >= identity ? GZIP : IDENTITY;
    }

    private static int weight(String parameters) {
        String text = parameters.strip();
        if (text.length() < 3 || !text.regionMatches(true, 0, "q=", 0, 2)) {
            return FULL;
        }
        try {
            return (int) Math.round(Double.parseDouble(text.substring(2)) * FULL);
        } catch (NumberFormatException e) {
            return FULL;
        }
    }

    /** Writes a body in this coding. The output is deterministic. */
    void encode(SpooledBody body, OutputStream out) throws IOException {
        if (this == IDENTITY) {
            body.writeTo(out);
            return;
        }
        GZIPOutputStream gzip = new GZIPOutputStream(out);
        body.writeTo(gzip);
        gzip.finish();
    }
}
