package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.web.header.HeaderWriter;
import org.springframework.security.web.header.writers.HstsHeaderWriter;

/** Security headers of every API response: browsers display it as declared, and run nothing in it. */
final class BrowserRules implements HeaderWriter {

    private final HstsHeaderWriter onlyByTls = new HstsHeaderWriter();

    @Override
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        response.setHeader("Referrer-Policy", "no-referrer");
        if (request.isSecure()) {
            onlyByTls.writeHeaders(request, response);
        }
    }
}
