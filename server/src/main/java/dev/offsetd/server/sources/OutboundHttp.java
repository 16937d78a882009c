package dev.offsetd.server.sources;

import dev.offsetd.server.sources.http.AddressRules;
import dev.offsetd.server.sources.http.PermittedHttp;
import dev.offsetd.server.sources.http.Timeouts;
import dev.offsetd.server.sources.http.UpstreamClients;
import java.util.List;

/**
 * HTTP clients for URLs that administrators choose at run time, with the proxy, certificates and timeouts of upstreams.
 *
 * @param userAgent the server's, for the header
 * @param offline whether the server calls no other one
 */
public record OutboundHttp(UpstreamClients clients, Timeouts timeouts, String userAgent, boolean offline) {

    /**
     * Returns a client that connects to public addresses and these networks only.
     *
     * @param setting name of the setting with the networks, for messages
     * @throws IllegalArgumentException if one of them cannot be parsed
     */
    public PermittedHttp permitting(String setting, List<String> networks) {
        return clients.permitting(new AddressRules(setting, networks), timeouts);
    }
}
