package dev.offsetd.server.fetch;

import dev.offsetd.extractor.input.HostileText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which debuginfods to ask. */
final class UpstreamUrls {

    /** Asks the debuginfods of most distributions in turn. */
    static final String PUBLIC_FEDERATION = "https://debuginfod.elfutils.org/";

    private static final Pattern SPACES = Pattern.compile("\\s+");

    private static final Logger log = LoggerFactory.getLogger(UpstreamUrls.class);

    private UpstreamUrls() {}

    /**
     * The base URLs in order, each once: the configured ones; without any, those of {@code DEBUGINFOD_URLS}; without
     * those, the public federation.
     *
     * @param configured as in our configuration; absent if it does not say, empty to ask nobody
     * @param debuginfodUrls value of the environment variable, separated by spaces. It is written for elfutils' client:
     *     what only that understands, {@code file:} URLs and {@code ima:} policies, is left out and logged
     * @throws IllegalArgumentException if a configured one is no http or https URL
     */
    static List<HttpUrl> choose(@Nullable List<String> configured, @Nullable String debuginfodUrls) {
        Set<HttpUrl> urls = new LinkedHashSet<>();
        if (configured != null) {
            for (String url : configured) {
                HttpUrl parsed = HttpUrl.parse(url);
                if (parsed == null) {
                    throw new IllegalArgumentException(
                            "offsetd.upstreams.urls has " + HostileText.quote(url) + "; expected an http or https URL");
                }
                urls.add(asFolder(parsed));
            }
            return List.copyOf(urls);
        }
        if (debuginfodUrls == null || debuginfodUrls.isBlank()) {
            return List.of(HttpUrl.get(PUBLIC_FEDERATION));
        }
        for (String url : SPACES.splitAsStream(debuginfodUrls.strip()).toList()) {
            HttpUrl parsed = HttpUrl.parse(url);
            if (parsed == null) {
                log.warn("DEBUGINFOD_URLS: {} is left out; expected an http or https URL", HostileText.quote(url));
            } else {
                urls.add(asFolder(parsed));
            }
        }
        return List.copyOf(urls);
    }

    /** The same URL with a slash at the end, so that two spellings of one upstream are one. */
    static HttpUrl asFolder(HttpUrl url) {
        return url.encodedPath().endsWith("/")
                ? url
                : url.newBuilder().addPathSegment("").build();
    }
}
