package dev.offsetd.server.sources;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Derives the upstreams and their policies, in query order, from the configuration. */
final class UpstreamPolicies {

    /** Kinds of public servers by host, unless configured otherwise. */
    private static final Map<String, UpstreamKind> KNOWN = Map.of("debuginfod.opensuse.org", UpstreamKind.ON_DEMAND);

    /** Queries the debuginfods of most distributions. */
    static final String PUBLIC_FEDERATION = "https://debuginfod.elfutils.org/";

    private static final Pattern SPACES = Pattern.compile("\\s+");

    private static final Logger log = LoggerFactory.getLogger(UpstreamPolicies.class);

    private UpstreamPolicies() {}

    /**
     * Returns the servers with a policy, then the plain URLs that are not among them. Without either, returns those of
     * {@code DEBUGINFOD_URLS}, and without those the public federation.
     *
     * @param debuginfodUrls value of the environment variable
     * @throws IllegalArgumentException if a configured URL is invalid, or a server is configured twice
     */
    static List<UpstreamPolicy> of(FetchProperties.Upstreams upstreams, @Nullable String debuginfodUrls) {
        List<UpstreamPolicy> policies = new ArrayList<>();
        Set<HttpUrl> known = new HashSet<>();
        for (int i = 0; i < upstreams.servers().size(); i++) {
            FetchProperties.Server server = upstreams.servers().get(i);
            String key = "offsetd.upstreams.servers[" + i + "].url";
            HttpUrl base = HttpUrl.parse(server.url());
            if (base == null) {
                throw new IllegalArgumentException(
                        key + " is " + HostileText.quote(server.url()) + "; expected an http or https URL");
            }
            UpstreamPolicy policy = policy(asFolder(base), server, upstreams);
            if (!known.add(policy.base())) {
                throw new IllegalArgumentException(key + " is " + policy.name() + " again; expected each server once");
            }
            policies.add(policy);
        }
        List<HttpUrl> plain =
                upstreams.urls() == null && !policies.isEmpty() ? List.of() : choose(upstreams.urls(), debuginfodUrls);
        for (HttpUrl base : plain) {
            if (known.add(base)) {
                policies.add(new UpstreamPolicy(base, true, kind(base), List.of(), upstreams.timeouts(), false));
            }
        }
        return List.copyOf(policies);
    }

    private static UpstreamPolicy policy(
            HttpUrl base, FetchProperties.Server server, FetchProperties.Upstreams upstreams) {
        return new UpstreamPolicy(
                base,
                server.enabled(),
                server.kind() == null ? kind(base) : server.kind(),
                server.notFound(),
                server.timeouts(upstreams.timeouts()),
                server.direct());
    }

    private static UpstreamKind kind(HttpUrl base) {
        return KNOWN.getOrDefault(base.host(), UpstreamKind.FEDERATING);
    }

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
