package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.security.web.header.Header;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.header.writers.HstsHeaderWriter;
import org.springframework.security.web.header.writers.StaticHeadersWriter;

/** Security headers of responses. */
final class SecurityHeaders {

    /** Browsers display an answer of the API as declared, and run nothing in it. */
    private static final StaticHeadersWriter API = new StaticHeadersWriter(List.of(
            new Header("X-Content-Type-Options", "nosniff"),
            new Header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
            new Header("Referrer-Policy", "no-referrer")));

    private static final StaticHeadersWriter PAGES = new StaticHeadersWriter(List.of(
            new Header(
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self';"
                            + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
            new Header("X-Content-Type-Options", "nosniff"),
            // For browsers without frame-ancestors.
            new Header("X-Frame-Options", "DENY"),
            // Paths contain build-ids and searches.
            new Header("Referrer-Policy", "no-referrer"),
            new Header("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
            new Header("Cross-Origin-Opener-Policy", "same-origin"),
            new Header("Cross-Origin-Resource-Policy", "same-origin")));

    private static final HstsHeaderWriter ONLY_BY_TLS = new HstsHeaderWriter();

    private SecurityHeaders() {}

    /** Writes the headers of a response outside the pages, before anything else does: a controller may replace them. */
    static void write(HttpServletRequest request, HttpServletResponse response) {
        API.writeHeaders(request, response);
        ONLY_BY_TLS.writeHeaders(request, response);
    }

    /**
     * Returns a filter that writes the headers of pages when the response is committed. It must be outside of
     * {@link PagesConfiguration.UnwrittenSessionFilter}, which resets responses.
     */
    static HeaderWriterFilter ofPages() {
        return new HeaderWriterFilter(List.of(PAGES, ONLY_BY_TLS, (request, response) -> {
            if (!Routes.isAsset(request)) {
                response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
            }
        }));
    }
}
