package dev.offsetd.server.fetch;

import dev.offsetd.extractor.input.HostileText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** Which upstreams there are, in the order in which to ask them, and how each is to be treated. */
final class UpstreamPolicies {

    /** What public servers are known to be, unless the configuration says otherwise; by host. */
    private static final Map<String, UpstreamKind> KNOWN = Map.of("debuginfod.opensuse.org", UpstreamKind.ON_DEMAND);

    private UpstreamPolicies() {}

    /**
     * First the servers that are configured one by one, then the plain URLs that are not among them. Without either, those
     * of {@code DEBUGINFOD_URLS}; without those, the public federation.
     *
     * @param debuginfodUrls value of the environment variable
     * @throws IllegalArgumentException if a configured URL is none, or a server is configured twice
     */
    static List<UpstreamPolicy> of(FetchProperties.Upstreams upstreams, @Nullable String debuginfodUrls) {
        List<UpstreamPolicy> policies = new ArrayList<>();
        Set<HttpUrl> known = new HashSet<>();
        for (int i = 0; i < upstreams.servers().size(); i++) {
            FetchProperties.Server server = upstreams.servers().get(i);
            String place = "offsetd.upstreams.servers[" + i + "].url";
            HttpUrl base = HttpUrl.parse(server.url());
            if (base == null) {
                throw new IllegalArgumentException(
                        place + " is " + HostileText.quote(server.url()) + "; expected an http or https URL");
            }
            UpstreamPolicy policy = policy(UpstreamUrls.asFolder(base), server, upstreams);
            if (!known.add(policy.base())) {
                throw new IllegalArgumentException(
                        place + " is " + policy.name() + " again; expected each server once");
            }
            policies.add(policy);
        }
        for (HttpUrl base : plain(upstreams, debuginfodUrls)) {
            if (known.add(base)) {
                policies.add(new UpstreamPolicy(base, true, kind(base), List.of(), upstreams.timeouts(), false));
            }
        }
        return List.copyOf(policies);
    }

    private static List<HttpUrl> plain(FetchProperties.Upstreams upstreams, @Nullable String debuginfodUrls) {
        return upstreams.urls() == null && !upstreams.servers().isEmpty()
                ? List.of()
                : UpstreamUrls.choose(upstreams.urls(), debuginfodUrls);
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
}
