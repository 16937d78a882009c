package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.web.header.HeaderWriter;
import org.springframework.security.web.header.writers.HstsHeaderWriter;

/** Security headers of every response outside the admin pages: browsers display it as declared, and run nothing in it. */
final class BrowserRules implements HeaderWriter {

    private static final String POLICY = "Content-Security-Policy";

    private final HstsHeaderWriter onlyByTls = new HstsHeaderWriter();

    @Override
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        response.setHeader("X-Content-Type-Options", "nosniff");
        // The reference page sets another, which allows its style sheet.
        if (!response.containsHeader(POLICY)) {
            response.setHeader(POLICY, "default-src 'none'; frame-ancestors 'none'");
        }
        response.setHeader("Referrer-Policy", "no-referrer");
        if (request.isSecure()) {
            onlyByTls.writeHeaders(request, response);
        }
    }
}
