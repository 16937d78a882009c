package dev.offsetd.server.access;

import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.security.web.header.HeaderWriter;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.header.writers.ContentSecurityPolicyHeaderWriter;
import org.springframework.security.web.header.writers.CrossOriginOpenerPolicyHeaderWriter;
import org.springframework.security.web.header.writers.CrossOriginOpenerPolicyHeaderWriter.CrossOriginOpenerPolicy;
import org.springframework.security.web.header.writers.CrossOriginResourcePolicyHeaderWriter;
import org.springframework.security.web.header.writers.CrossOriginResourcePolicyHeaderWriter.CrossOriginResourcePolicy;
import org.springframework.security.web.header.writers.HstsHeaderWriter;
import org.springframework.security.web.header.writers.PermissionsPolicyHeaderWriter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.security.web.header.writers.XContentTypeOptionsHeaderWriter;
import org.springframework.security.web.header.writers.frameoptions.XFrameOptionsHeaderWriter;
import org.springframework.security.web.header.writers.frameoptions.XFrameOptionsHeaderWriter.XFrameOptionsMode;

/** Security headers of every page. */
final class PageHeaders {

    private static final String CONTENT_SECURITY_POLICY = String.join(
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

    private static final List<HeaderWriter> WRITERS = List.of(
            new ContentSecurityPolicyHeaderWriter(CONTENT_SECURITY_POLICY),
            new XContentTypeOptionsHeaderWriter(),
            // For browsers without frame-ancestors.
            new XFrameOptionsHeaderWriter(XFrameOptionsMode.DENY),
            // Paths contain build-ids and searches.
            new ReferrerPolicyHeaderWriter(ReferrerPolicy.NO_REFERRER),
            new PermissionsPolicyHeaderWriter("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
            sameOriginOpener(),
            sameOriginResources(),
            new HstsHeaderWriter(),
            (request, response) -> {
                if (!Routes.isAsset(request)) {
                    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
                }
            });

    private PageHeaders() {}

    /**
     * Returns a filter that writes the headers when the response is committed. It must be outside of
     * {@link UnwrittenSessionFilter}, which resets responses.
     */
    static HeaderWriterFilter filter() {
        return new HeaderWriterFilter(WRITERS);
    }

    private static HeaderWriter sameOriginOpener() {
        CrossOriginOpenerPolicyHeaderWriter writer = new CrossOriginOpenerPolicyHeaderWriter();
        writer.setPolicy(CrossOriginOpenerPolicy.SAME_ORIGIN);
        return writer;
    }

    private static HeaderWriter sameOriginResources() {
        CrossOriginResourcePolicyHeaderWriter writer = new CrossOriginResourcePolicyHeaderWriter();
        writer.setPolicy(CrossOriginResourcePolicy.SAME_ORIGIN);
        return writer;
    }
}
