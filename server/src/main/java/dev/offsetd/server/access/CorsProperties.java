package dev.offsetd.server.access;

import dev.offsetd.extractor.input.HostileText;
import java.net.URI;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Sites whose scripts may read answers in a browser.
 *
 * @param allowedOrigins their origins ({@code https://example.com}), or {@code *}; none by default
 */
@ConfigurationProperties("offsetd.cors")
record CorsProperties(@DefaultValue List<String> allowedOrigins) {

    CorsProperties {
        allowedOrigins = List.copyOf(allowedOrigins);
        for (String origin : allowedOrigins) {
            if (!origin.equals("*") && !isOrigin(origin)) {
                throw new IllegalArgumentException("offsetd.cors.allowed-origins: " + HostileText.quote(origin)
                        + "; expected scheme, host and port as in https://example.com:8443, or *");
            }
        }
    }

    private static boolean isOrigin(String text) {
        try {
            URI uri = URI.create(text);
            return uri.getScheme() != null
                    && uri.getHost() != null
                    && text.equals(uri.getScheme() + "://" + uri.getAuthority())
                    && uri.getUserInfo() == null;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
