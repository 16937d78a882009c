package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.security.web.header.HeaderWriter;
import org.springframework.security.web.header.writers.HstsHeaderWriter;

/** Headers of every page: a browser runs and shows only what this server sends, and nobody else shows a page in a frame. */
final class PageRules implements HeaderWriter {

    private static final String CONTENT = String.join(
            "; ",
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "font-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'");

    private final HstsHeaderWriter onlyByTls = new HstsHeaderWriter();

    @Override
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", CONTENT);
        response.setHeader("X-Content-Type-Options", "nosniff");
        // For browsers that do not know frame-ancestors.
        response.setHeader("X-Frame-Options", "DENY");
        // What is looked at (a build, a search) is in the path; no other site, and no page, needs to hear of it.
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        if (!Routes.isAsset(request)) {
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        }
        if (request.isSecure()) {
            onlyByTls.writeHeaders(request, response);
        }
    }
}
