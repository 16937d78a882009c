package dev.offsetd.server.sources;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Base URLs of the upstreams. */
final class UpstreamUrls {

    /** Queries the debuginfods of most distributions. */
    static final String PUBLIC_FEDERATION = "https://debuginfod.elfutils.org/";

    private static final Pattern SPACES = Pattern.compile("\\s+");

    private static final Logger log = LoggerFactory.getLogger(UpstreamUrls.class);

    private UpstreamUrls() {}

    /**
     * Returns the base URLs in query order, each once: the configured ones; without a configuration, those of
     * {@code DEBUGINFOD_URLS}; without those, the public federation.
     *
     * @param configured configured URLs; null if not configured, empty to query no upstream
     * @param debuginfodUrls value of the environment variable, separated by spaces. It is written for elfutils' client, so
     *     {@code file:} URLs and {@code ima:} policies, which only that understands, are logged and ignored
     * @throws IllegalArgumentException if a configured URL is not an http or https URL
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
        for (String url : SPACES.split(debuginfodUrls.strip())) {
            HttpUrl parsed = HttpUrl.parse(url);
            if (parsed == null) {
                log.warn("DEBUGINFOD_URLS: {} is ignored; expected an http or https URL", HostileText.quote(url));
            } else {
                urls.add(asFolder(parsed));
            }
        }
        return List.copyOf(urls);
    }

    /** Returns the URL with a slash at the end, so that two spellings of one upstream are equal. */
    static HttpUrl asFolder(HttpUrl url) {
        return url.encodedPath().endsWith("/")
                ? url
                : url.newBuilder().addPathSegment("").build();
    }
}
