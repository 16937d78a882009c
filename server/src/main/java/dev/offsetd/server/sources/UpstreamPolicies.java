package dev.offsetd.server.sources;

import dev.offsetd.extractor.input.HostileText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** Derives the upstreams and their policies, in query order, from the configuration. */
final class UpstreamPolicies {

    /** Kinds of public servers by host, unless configured otherwise. */
    private static final Map<String, UpstreamKind> KNOWN = Map.of("debuginfod.opensuse.org", UpstreamKind.ON_DEMAND);

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
            UpstreamPolicy policy = policy(UpstreamUrls.asFolder(base), server, upstreams);
            if (!known.add(policy.base())) {
                throw new IllegalArgumentException(key + " is " + policy.name() + " again; expected each server once");
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
